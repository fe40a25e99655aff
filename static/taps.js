// Takes the waiting out of taps: a form marked data-tap is sent in the background and the page it answers with
// takes the place of this one. Without this script, or where something is missing, the form is sent as any other.

(() => {
  "use strict";

  const root = document.documentElement;
  root.classList.add("scripted");
  if (!window.fetch || !window.DOMParser || !window.FormData) return;

  // The thumb that has just tapped must not hit what appears under it: a button that was not on the page before
  // is deaf for this many milliseconds.
  const REST = 300;

  let sending = false;
  let waiting = null;
  let shownAt = 0;
  let known = new Set();

  const page = () => document.querySelector("[data-page]");

  document.addEventListener("submit", (event) => {
    const form = event.target;
    if (!form.matches("[data-tap]")) return;
    event.preventDefault();
    const key = event.submitter && event.submitter.dataset.key;
    if (sending) {
      waiting = key;
      return;
    }
    if (key && !known.has(key) && performance.now() - shownAt < REST) return;
    send(form, event.submitter);
  });

  // Choices that change what the page shows are sent as they are made.
  document.addEventListener("change", (event) => {
    const form = event.target.form;
    if (!form || !form.matches("[data-tap]") || !event.target.closest("[data-refresh]") || sending) return;
    send(form, null);
  });

  async function send(form, button) {
    const body = new URLSearchParams(new FormData(form));
    if (button && button.name) body.set(button.name, button.value);
    sending = true;
    page().classList.add("is-sending");
    try {
      const answer = await fetch(form.action, { method: "POST", body, credentials: "same-origin" });
      show(await answer.text(), answer.redirected ? answer.url : null, button && button.dataset.key);
    } catch {
      // Let the browser try, and say in its own words what is wrong with the network.
      sending = false;
      if (button) {
        const stand = document.createElement("input");
        stand.type = "hidden";
        stand.name = button.name;
        stand.value = button.value;
        if (button.name) form.append(stand);
      }
      form.submit();
      return;
    }
    sending = false;
    if (waiting) {
      const next = document.querySelector(`button[data-key="${CSS.escape(waiting)}"]`);
      waiting = null;
      if (next) send(next.form, next);
    }
  }

  function show(html, address, key) {
    const next = new DOMParser().parseFromString(html, "text/html");
    const fresh = next.querySelector("[data-page]");
    if (!fresh) throw new Error("not a page of ours");
    const focused = document.activeElement && document.activeElement.id;
    const scroll = [window.scrollX, window.scrollY];
    const moved = address && new URL(address).pathname !== location.pathname;
    known = new Set([...page().querySelectorAll("[data-key]")].map((button) => button.dataset.key));
    page().replaceWith(fresh);
    document.body.className = next.body.className;
    document.title = next.title;
    if (address) history[moved ? "pushState" : "replaceState"](null, "", address);
    moved ? window.scrollTo(0, 0) : window.scrollTo(...scroll);
    focus(fresh, key, focused);
    announce(fresh);
    shownAt = performance.now();
  }

  // Focus moves as the bidding does: to the same button if it is still there, or else to the first of the next pad.
  function focus(fresh, key, focused) {
    const same = key && fresh.querySelector(`[data-key="${CSS.escape(key)}"]:not(:disabled)`);
    const target = same || (focused && document.getElementById(focused)) || fresh.querySelector(".dock button");
    if (target) target.focus({ preventScroll: true });
    const now = fresh.querySelector("[aria-current]");
    if (now) now.scrollIntoView({ block: "nearest" });
  }

  function announce(fresh) {
    const said = fresh.querySelector("[role=alert], [data-announce]");
    document.querySelector("[data-announcer]").textContent = said ? said.textContent.trim() : "";
  }

  // The page of an address that was pushed is fetched anew: it may have changed since.
  window.addEventListener("popstate", () => location.reload());
})();
