// What a page gets once it is usable: moments in the reader's own zone, the table's own date, and what it takes to go on
// without a network.

(() => {
  "use strict";

  const { lang } = document.documentElement;
  const language = navigator.languages.find((each) => each.split("-")[0] === lang) ?? lang;

  function localize() {
    for (const time of document.querySelectorAll("time[datetime]:not([data-local])")) {
      const at = new Date(time.dateTime);
      const day = localDay(at) === (time.dataset.day || localDay(new Date())) ? undefined : "medium";
      time.textContent = new Intl.DateTimeFormat(language, { dateStyle: day, timeStyle: "short" }).format(at);
      time.dataset.local = "";
    }
    // A game belongs to the day on which the table began it, wherever the server stands.
    for (const field of document.querySelectorAll("input[data-today]")) field.value = localDay(new Date());
  }

  function localDay(at) {
    const two = (number) => String(number).padStart(2, "0");
    return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
  }

  // Without a network: the service worker answers, or, where browsers allow none, offline.js in this page.

  const page = () => document.querySelector("[data-page]");
  const isWritable = () => Boolean(document.querySelector("form[data-tap]"));
  const isAway = () => "waiting" in page().dataset || document.documentElement.classList.contains("is-away");
  const AGAIN = 5000; // milliseconds between two tries to reach the server
  // The worker has not seen a page that came before it.
  const isSeen = Boolean(navigator.serviceWorker?.controller);

  async function prepare() {
    if (navigator.serviceWorker) {
      await navigator.serviceWorker.register("/worker.js");
      const { active } = await navigator.serviceWorker.ready;
      const unseen = isSeen ? [] : [location.pathname, "/"];
      return (message) => active.postMessage({ ...message, see: unseen.splice(0) });
    }
    if (!isWritable()) return () => {};
    const { hand, offline: queue } = document.querySelector("script[data-later]").dataset;
    for (const address of [hand, queue]) await load(address);
    window.answerTap = offline.tap;
    document.addEventListener("click", followed);
    return offline.hear;
  }

  // Where no worker answers for a link of the hand, this page does.
  async function followed(event) {
    const link = isAway() && event.target.closest("a[href]");
    if (!link) return;
    event.preventDefault();
    const answer = await offline.shown(new Request(link.href));
    if (answer) document.dispatchEvent(new CustomEvent("fresh-page", { detail: answer }));
    else location.assign(link.href);
  }

  function load(address) {
    return new Promise((resolve, reject) => {
      const script = Object.assign(document.createElement("script"), { src: address, onload: resolve, onerror: reject });
      document.head.append(script);
    });
  }

  function keepTrying(tell) {
    const knock = () => {
      tell({});
      if (isAway()) lookAgain();
    };
    // A game that comes onto the page is one to know, so that it can go on; that of a page it saw the worker knows.
    const codeNow = () => location.pathname.match(/^\/g\/(\w+)\/hands\//)?.[1];
    let known = isSeen ? codeNow() : undefined;
    const meet = () => {
      const code = codeNow();
      if (code && code !== known && isWritable()) tell({ code: (known = code) });
    };
    new MutationObserver(meet).observe(document.body, { childList: true });
    meet();
    document.addEventListener("visibilitychange", () => document.hidden || knock());
    window.addEventListener("online", knock);
    new BroadcastChannel("scorebook").addEventListener("message", lookAgain);
    setInterval(() => isAway() && !document.hidden && knock(), AGAIN);
    knock();
  }

  // Take the page as it is by now, unless that is the same one; of a hand, the hand that is played by now.
  async function lookAgain() {
    const address = location.pathname.replace(/\/hands\/\d+$/, "/now");
    try {
      const asked = new Request(address, { credentials: "same-origin", headers: { "X-Page": "1" } });
      const answer = (window.answerTap && (await offline.page(asked))) || (await fetch(asked));
      const html = await answer.clone().text();
      const [, waiting] = html.match(/ data-waiting="([^"]*)"/) ?? [];
      if (answer.status >= 500 || !html.includes("data-page") || html.includes('class="is-away"') || (waiting && waiting === page().dataset.waiting)) return;
      document.documentElement.classList.remove("is-away");
      document.dispatchEvent(new CustomEvent("fresh-page", { detail: answer }));
    } catch {
      // Still no network.
    }
  }

  prepare().then(keepTrying, () => {});

  // A tap puts a new page in the place of this one.
  new MutationObserver(localize).observe(document.body, { childList: true });
  localize();
})();
