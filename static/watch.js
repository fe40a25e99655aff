// Keeps a page that only watches fresh: asks one small address whether anything changed, and puts the new page in the
// place of the old one, with scroll and focus kept. Asks only while the page is seen, and at once when it is seen again.

(() => {
  "use strict";

  if (!window.fetch || !window.DOMParser) return;

  const OFTEN = 1500;
  const page = () => document.querySelector("[data-page]");
  let timer = 0;

  async function look() {
    clearTimeout(timer);
    const { poll, version, fresh } = page().dataset;
    if (!poll || document.hidden) return;
    try {
      const answer = await fetch(poll, { credentials: "same-origin", cache: "no-cache" });
      if (answer.ok && (await answer.text()) !== version) await refresh(fresh);
      document.documentElement.classList.remove("is-away");
    } catch {
      document.documentElement.classList.add("is-away");
    }
    timer = setTimeout(look, OFTEN);
  }

  async function refresh(address) {
    const answer = await fetch(address, { credentials: "same-origin" });
    if (!answer.ok) return;
    const next = new DOMParser().parseFromString(await answer.text(), "text/html");
    const fresh = next.querySelector("[data-page]");
    if (!fresh) return;
    const scroll = [window.scrollX, window.scrollY];
    const focused = document.activeElement && document.activeElement.id;
    page().replaceWith(fresh);
    document.body.className = next.body.className;
    document.title = next.title;
    if (answer.url && new URL(answer.url).pathname !== location.pathname) history.replaceState(null, "", answer.url);
    window.scrollTo(...scroll);
    if (focused) document.getElementById(focused)?.focus({ preventScroll: true });
    const said = fresh.querySelector("[data-announce]");
    if (said) document.querySelector("[data-announcer]").textContent = said.textContent.trim();
  }

  document.addEventListener("visibilitychange", look);
  window.addEventListener("online", look);
  timer = setTimeout(look, OFTEN);
})();
