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
      await navigator.serviceWorker.ready;
      const unseen = isSeen ? [] : [location.pathname, "/"];
      // Whichever is at work by then: an update takes over while the page is open.
      return async (message) => (await navigator.serviceWorker.ready).active.postMessage({ ...message, see: unseen.splice(0) });
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
    const link = isAway() && !event.defaultPrevented && event.target.closest("a[href]");
    if (!link || !offline.codeOf(new URL(link.href).pathname)) return;
    event.preventDefault();
    const asked = new Request(link.href);
    const isStopped = page().dataset.waiting?.startsWith("stopped-");
    const answer = await (isStopped ? offline.page(asked) : offline.shown(asked));
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
      lookAgain();
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

  // Where this page is of another time, or steps wait that no worker shows: take it as it is by now, unless that is the
  // same one; of a hand, the hand that is played by now.
  async function lookAgain() {
    const isHand = /\/hands\/\d+$/.test(location.pathname);
    const address = isHand ? location.pathname.replace(/\/hands\/\d+$/, "/now") : location.pathname + location.search;
    try {
      const asked = new Request(address, { credentials: "same-origin", headers: { "X-Page": "1" } });
      const waiting = window.answerTap && offline.codeOf(address) && (await offline.page(asked));
      if (!waiting && !isAway()) return;
      const answer = waiting || (await fetch(asked));
      const html = await answer.clone().text();
      const [, shown] = html.match(/ data-waiting="([^"]*)"/) ?? [];
      if (answer.status >= 500 || !html.includes("data-page") || html.includes('class="is-away"') || (shown && shown === page().dataset.waiting)) return;
      document.documentElement.classList.remove("is-away");
      document.dispatchEvent(new CustomEvent("fresh-page", { detail: answer }));
    } catch {
      // Still no network.
    }
  }

  prepare().then(keepTrying, () => {});

  // A tap puts a new page in the place of this one.
  new MutationObserver(localize).observe(document.body, { childList: true });
  document.addEventListener("page-turned", localize);
  localize();
})();
