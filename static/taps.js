// Takes the waiting out of taps: a form marked data-tap is sent in the background and the page it answers with
// takes the place of this one. Without this script, or where something is missing, the form is sent as any other.

(() => {
  "use strict";

  const root = document.documentElement;
  // What only some phones can is known before the page is painted, so that nothing moves afterwards.
  if (window.speechSynthesis && window.SpeechSynthesisUtterance) root.classList.add("can-speak");
  if (navigator.share || (navigator.clipboard && navigator.clipboard.writeText)) root.classList.add("can-share");

  // What can wait comes once the page is usable.
  const { live, later } = document.currentScript.dataset;
  const fetchLater = () => {
    for (const src of [live, later]) document.head.append(Object.assign(document.createElement("script"), { src }));
  };
  window.addEventListener("load", () => setTimeout(fetchLater, 100));
  if (!window.fetch || !window.DOMParser || !window.FormData) return;
  if (!window.SubmitEvent || !("submitter" in SubmitEvent.prototype)) return;
  root.classList.add("scripted");

  // The thumb that has just tapped must not hit what appears under it: a button that was not on the page before
  // is deaf for this many milliseconds.
  const REST = 300;

  // What is on page after page and means another thing on each: a tap too many would take back, or give up, a step too many.
  const ONCE = ["undo", "mine", "drop", "drop-all"];

  let sending = false;
  // What was done while another tap was on its way: the keys tapped, and the form of which a choice was changed.
  let waiting = [];
  let changed = null;
  let shownAt = 0;
  let known = new Set();

  const page = () => document.querySelector("[data-page]");
  const addressNow = () => location.pathname + location.search;
  root.dataset.shown = addressNow();

  document.addEventListener("submit", (event) => {
    const form = event.target;
    if (!form.matches("[data-tap]")) return;
    event.preventDefault();
    const key = event.submitter && event.submitter.dataset.key;
    if (sending) {
      if (key && !ONCE.includes(key)) waiting.push(key);
      return;
    }
    if (key && (!known.has(key) || ONCE.includes(key)) && performance.now() - shownAt < REST) return;
    send(form, event.submitter);
  });

  // So is a link that came to stand where the button was.
  document.addEventListener("click", (event) => {
    if (shownAt && performance.now() - shownAt < REST && event.target.closest(".dock a")) event.preventDefault();
  });

  // Choices that change what the page shows are sent as they are made.
  document.addEventListener("change", (event) => {
    const form = event.target.form;
    if (!form || !form.matches("[data-tap]") || !event.target.closest("[data-refresh]")) return;
    if (sending) changed = form;
    else send(form, null);
  });

  // While somebody types, what it comes to is shown anew, and nothing else: the caret stays where it is.
  let typing = 0;
  document.addEventListener("input", (event) => {
    const form = event.target.form;
    if (!form || event.target.type !== "text" || !event.target.closest("[data-refresh]")) return;
    if (!form.querySelector("[data-preview]")) return;
    clearTimeout(typing);
    typing = setTimeout(preview, 300, form);
  });

  async function preview(form) {
    const body = new URLSearchParams(new FormData(form));
    try {
      const answer = await fetch(form.action, { method: "POST", body, credentials: "same-origin" });
      const next = new DOMParser().parseFromString(await answer.text(), "text/html").querySelector("[data-preview]");
      const now = form.isConnected && form.querySelector("[data-preview]");
      if (next && now && body.toString() === new URLSearchParams(new FormData(form)).toString()) now.replaceWith(next);
    } catch {
      // The next keystroke, or the button, tries again.
    }
  }

  async function send(form, button) {
    const body = new URLSearchParams(new FormData(form));
    if (button && button.name) body.set(button.name, button.value);
    sending = true;
    page().classList.add("is-sending");
    try {
      const tap = { method: "POST", body, credentials: "same-origin" };
      const answer = await (window.answerTap ? window.answerTap(new Request(form.action, tap)) : fetch(form.action, tap));
      const html = await answer.text();
      // An answer that does not know the latest choice yet would take it back.
      if (!changed || answer.redirected) show(html, addressOf(answer), button && button.dataset.key, body);
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
    const again = changed;
    changed = null;
    if (again && again.isConnected) {
      send(again, null);
      return;
    }
    while (waiting.length) {
      const next = document.querySelector(`button[data-key="${CSS.escape(waiting.shift())}"]:not(:disabled)`);
      if (next) {
        send(next.form, next);
        return;
      }
    }
  }

  // Where the page of an answer is at home: what offline.js answers was never redirected, and says so in a header.
  const addressOf = (answer) => (answer.redirected ? answer.url : answer.headers.get("Content-Location"));

  // The page as it is by now, when what waited was sent (see later.js).
  document.addEventListener("fresh-page", async ({ detail: answer }) => {
    const html = await answer.text();
    if (!sending) show(html, addressOf(answer), document.activeElement.dataset.key, new URLSearchParams());
  });

  function show(html, address, key, sent) {
    const next = new DOMParser().parseFromString(html, "text/html");
    const fresh = next.querySelector("[data-page]");
    if (!fresh) throw new Error("not a page of ours");
    const active = document.activeElement;
    const focused = place(active);
    const typed = active.matches("input") && active.type === "text" && active.value !== sent.get(active.name) ? active.value : null;
    const told = news(page());
    const scroll = [window.scrollX, window.scrollY];
    const moved = address && new URL(address, location.href).pathname !== location.pathname;
    known = new Set([...page().querySelectorAll("[data-key]")].map((button) => button.dataset.key));
    page().replaceWith(fresh);
    document.body.className = next.body.className;
    document.title = next.title;
    if (address) history[moved ? "pushState" : "replaceState"](null, "", address);
    root.dataset.shown = addressNow();
    moved ? window.scrollTo(0, 0) : window.scrollTo(...scroll);
    focus(fresh, key, focused, typed);
    announce(fresh, told);
    shownAt = performance.now();
  }

  // How to find an element again on the next page; nothing for one without a name.
  function place(element) {
    if (element.id) return `#${CSS.escape(element.id)}`;
    if (!element.name) return null;
    const value = element.type === "text" ? "" : `[value="${CSS.escape(element.value)}"]`;
    return `[name="${CSS.escape(element.name)}"]${value}`;
  }

  // Focus moves as the bidding does: to the same button or field if it is still there, or else to the first of the
  // next pad, or to what leads on. What was typed while the answer was on its way stays.
  function focus(fresh, key, focused, typed) {
    const same = key && fresh.querySelector(`[data-key="${CSS.escape(key)}"]:not(:disabled)`);
    const field = focused && fresh.querySelector(`input${focused}`);
    if (field && typed !== null) field.value = typed;
    const target = same || field || fresh.querySelector(".dock button:not(:disabled), .dock a") || fresh.querySelector("a");
    if (target) target.focus({ preventScroll: true });
    const now = fresh.querySelector("[aria-current]");
    if (now) now.scrollIntoView({ block: "nearest" });
  }

  // What is new on the page is told to those who listen, once; an alert speaks for itself.
  function announce(fresh, told) {
    const said = fresh.querySelector("[role=alert]") ? [] : [...news(fresh)].filter((each) => !told.has(each));
    document.querySelector("[data-announcer]").textContent = said.join(" ");
  }

  function news(shown) {
    const parts = [...shown.querySelectorAll("[data-announce], [data-news]")];
    const whole = parts.filter((each) => !each.parentElement.closest("[data-announce]"));
    const sentence = (text) => text.trim().replace(/\s+/g, " ").replace(/[^.!?।]$/, "$&.");
    return new Set(whole.map((each) => sentence("announce" in each.dataset ? each.textContent : each.dataset.news)));
  }

  // The page of an address that was pushed is fetched anew: it may have changed since. A place on this page is no other.
  window.addEventListener("popstate", () => addressNow() !== root.dataset.shown && location.reload());
})();
