// What a page does beside being read and tapped, loaded once it can be: it stays fresh while others write, keeps the
// screen awake, speaks, shakes and shares. Each of these is missed by nobody where a phone cannot do it.

(() => {
  "use strict";

  const root = document.documentElement;
  const page = () => document.querySelector("[data-page]");
  const tell = (text) => {
    document.querySelector("[data-announcer]").textContent = text;
  };

  // Fresh: one small address is asked whether anything changed, only while the page is seen, and at once when it is
  // seen again. Only the nodes that differ are touched, so that scroll, zoom, focus and selection stay.

  const OFTEN = 1200;
  const PATIENCE = 5000;
  // A page to write on is not changed under a thumb: it is left alone for this long after the last touch, and what
  // it then shows is deaf for a moment, in case the thumb is on its way.
  const QUIET = 5000;
  const DEAF = 1000;

  let timer = 0;
  let asked = null;
  let confirmed = null;
  let touched = performance.now();
  let deaf = 0;

  async function look() {
    clearTimeout(timer);
    if (asked) asked.abort();
    if (document.hidden) return;
    const mine = (asked = new AbortController());
    const { poll } = page().dataset;
    if (poll) {
      timer = setTimeout(() => (away(true), look()), PATIENCE);
      try {
        const answer = await fetch(poll, { credentials: "same-origin", cache: "no-cache", signal: mine.signal });
        // Deleted: the page of its address says so.
        if (answer.status === 404) return location.reload();
        if (!answer.ok) throw new Error(answer.status);
        const latest = await answer.text();
        const isBehind = () => latest !== page().dataset.version && !page().classList.contains("is-sending");
        if (isBehind()) await refresh(mine.signal);
        behind("writes" in page().dataset && isBehind());
        confirmed = new Date();
        away(false);
      } catch {
        if (mine === asked) away(true);
      }
    }
    if (mine !== asked) return;
    clearTimeout(timer);
    timer = setTimeout(look, OFTEN);
  }

  async function refresh(signal) {
    const shown = page();
    const isBusy = () =>
      page() !== shown ||
      shown.classList.contains("is-sending") ||
      ("writes" in shown.dataset && performance.now() - touched < QUIET);
    if (isBusy()) return;
    const answer = await fetch(shown.dataset.fresh, { credentials: "same-origin", signal });
    if (!answer.ok) throw new Error(answer.status);
    const next = new DOMParser().parseFromString(await answer.text(), "text/html");
    const fresh = next.querySelector("[data-page]");
    if (!fresh || isBusy()) return;
    const known = news(shown);
    const key = document.activeElement.dataset.key;
    const fragment = new URL(answer.url).pathname === location.pathname ? location.hash : "";
    turn(shown, fresh);
    if (key && document.activeElement === document.body) focusOn(key);
    document.body.className = next.body.className;
    document.title = next.title;
    history.replaceState(null, "", answer.url + fragment);
    root.dataset.shown = location.pathname + location.search;
    document.dispatchEvent(new CustomEvent("page-turned"));
    tell([...news(page())].filter((each) => !known.has(each)).join(" "));
    deaf = "writes" in page().dataset ? performance.now() + DEAF : 0;
    stayAwake();
  }

  // Whoever stands on a button by keyboard stays there, or goes on with the next pad.
  function focusOn(key) {
    const same = page().querySelector(`[data-key="${CSS.escape(key)}"]:not(:disabled)`);
    const target = same || page().querySelector(".dock button:not(:disabled), .dock a");
    if (target) target.focus({ preventScroll: true });
  }

  // Turns a node into another by touching what differs. A form is never half an old one: its fields belong together.
  function turn(old, next) {
    if (old.isEqualNode(next)) return;
    const isOther = old.nodeName !== next.nodeName || old.nodeName === "FORM";
    if (isOther) return old.replaceWith(next);
    if (old.nodeType !== Node.ELEMENT_NODE) {
      old.data = next.data;
      return;
    }
    for (const { name } of [...old.attributes]) if (!next.hasAttribute(name) && name !== "open") old.removeAttribute(name);
    for (const { name, value } of next.attributes) if (old.getAttribute(name) !== value) old.setAttribute(name, value);
    const [olds, nexts] = [[...old.childNodes], [...next.childNodes]];
    nexts.forEach((child, at) => (at < olds.length ? turn(olds[at], child) : old.append(child)));
    olds.slice(nexts.length).forEach((child) => child.remove());
  }

  // What the page would tell somebody who listens; only what was not there before is told.
  function news(shown) {
    return new Set([...shown.querySelectorAll("[data-news]")].map((each) => each.dataset.news));
  }

  // Another phone wrote on what this one is about to.
  function behind(isBehind) {
    if (isBehind === root.classList.contains("is-behind")) return;
    root.classList.toggle("is-behind", isBehind);
    if (isBehind) tell(document.querySelector("[data-behind]").textContent.trim());
  }

  function away(isAway) {
    const line = document.querySelector("[data-away]");
    if (isAway && !line) return;
    const since = confirmed || new Date(page().dataset.asOf);
    if (isAway) {
      // Of the countries that speak the page's language, the phone's own.
      const language = navigator.languages.find((each) => each.split("-")[0] === root.lang) ?? root.lang;
      const time = since.toLocaleTimeString(language, { timeStyle: "short" });
      line.textContent = line.dataset.away.replace("{time}", time);
      if (!root.classList.contains("is-away")) tell(line.textContent);
    }
    root.classList.toggle("is-away", isAway);
  }

  for (const kind of ["pointerdown", "keydown", "input"])
    document.addEventListener(kind, () => (touched = performance.now()), { capture: true, passive: true });

  document.addEventListener(
    "submit",
    (event) => {
      if (performance.now() >= deaf) return;
      event.preventDefault();
      event.stopPropagation();
    },
    { capture: true },
  );

  document.addEventListener("visibilitychange", look);
  // A page that comes from the network is fresh; one that the browser had put aside may be old.
  timer = setTimeout(look, OFTEN);
  window.addEventListener("pageshow", (event) => event.persisted && look());
  window.addEventListener("online", look);
  window.addEventListener("offline", () => away("poll" in page().dataset));

  // Awake: the screen stays on while a hand is played.

  let lock = null;
  async function stayAwake() {
    const wanted = "awake" in page().dataset && !document.hidden;
    try {
      if (wanted && navigator.wakeLock && (!lock || lock.released)) lock = await navigator.wakeLock.request("screen");
      else if (!wanted && lock && !lock.released) await lock.release();
    } catch {
      // An empty battery has the last word.
    }
  }
  document.addEventListener("visibilitychange", stayAwake);

  // Shaken: a bid that is barred is felt, since the eyes are on the table.

  const shake = () => navigator.vibrate && navigator.vibrate(60);
  document.addEventListener("click", (event) => {
    if (event.target.closest(".is-barred")) shake();
  });

  // Aloud and away: what the page says for everybody, and its address for those who are not here.

  document.addEventListener("click", (event) => {
    const button = event.target.closest("[data-speak], [data-share]");
    if (!button) return;
    const { speak, share } = button.dataset;
    if (share) return send(button);
    const wasSpeaking = speechSynthesis.speaking;
    speechSynthesis.cancel();
    if (wasSpeaking) return;
    const spoken = new SpeechSynthesisUtterance(speak);
    spoken.lang = root.lang;
    speechSynthesis.speak(spoken);
  });

  // Where the phone has no share sheet the address is copied; where that is forbidden too, it stands on the page.
  async function send(button) {
    const { share, copied } = button.dataset;
    try {
      if (navigator.share) return await navigator.share({ title: document.title, url: share });
      await navigator.clipboard.writeText(share);
      button.textContent = copied;
      tell(copied);
    } catch {
      // Put away, or not allowed.
    }
  }

  // A tap brought another page.
  new MutationObserver((changes) => {
    if (!changes.some(({ addedNodes }) => [...addedNodes].includes(page()))) return;
    behind(false);
    stayAwake();
    if (document.body.classList.contains("hand") && page().querySelector("[role=alert]")) shake();
  }).observe(document.body, { childList: true });
  stayAwake();
})();
