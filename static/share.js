// Sends a link through the phone's own share sheet, or copies it. Where a browser can do neither, as over plain http,
// the button stays hidden and the address is there to be selected.

(() => {
  "use strict";

  const button = document.querySelector("[data-share]");
  if (!button || !(navigator.share || (navigator.clipboard && navigator.clipboard.writeText))) return;

  button.hidden = false;
  button.addEventListener("click", async () => {
    const url = button.dataset.share;
    try {
      if (navigator.share) {
        await navigator.share({ url });
      } else {
        await navigator.clipboard.writeText(url);
        button.textContent = button.dataset.copied;
        document.querySelector("[data-announcer]").textContent = button.dataset.copied;
      }
    } catch {
      // Put away, or not allowed: the address is still there.
    }
  });
})();
