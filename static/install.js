// Offers to put the scorebook on the phone's home screen: only where that can be done, only on the first page, and never
// again once somebody has said no.

(() => {
  "use strict";

  const NO = "no-home-screen";
  const hint = document.querySelector("[data-install]");
  const isInstalled = navigator.standalone || matchMedia("(display-mode: standalone)").matches;
  if (!hint || isInstalled || said()) return;

  // Safari on a phone has no prompt to offer; there it is told in words.
  if ("standalone" in navigator) show("by-hand");

  window.addEventListener("beforeinstallprompt", (event) => {
    event.preventDefault();
    show("offer");
    hint.querySelector("[data-yes]").onclick = () => {
      hint.hidden = true;
      event.prompt();
    };
  });

  function show(which) {
    for (const each of hint.querySelectorAll("[data-how]")) each.hidden = each.dataset.how !== which;
    hint.hidden = false;
  }

  hint.querySelector("[data-no]").onclick = () => {
    hint.hidden = true;
    try {
      localStorage.setItem(NO, "1");
    } catch {
      // A phone that keeps nothing is asked again next time.
    }
  };

  function said() {
    try {
      return localStorage.getItem(NO);
    } catch {
      return null;
    }
  }
})();
