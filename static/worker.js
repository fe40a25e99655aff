// The service worker: keeps the pages of this scorebook on the phone, and lets offline.js answer for an open game when
// the server cannot be reached. It is sent as one file with hand.js and offline.js before it (see views/offline.py).

(() => {
  "use strict";

  const FILES = "files"; // hashed, so that those of an older version stay good for a page that still uses them
  const PAGES = "pages";
  const MOST_FILES = 60;
  const MOST_PAGES = 60;
  const AWAY = "/offline";
  const SECRET = /^\/k\/|\/keepers(\/|$)/; // pages whose address or links give a right to write

  // A new version takes over only when it knows every open game in its own words, so that none is stranded.
  self.addEventListener("install", (event) => event.waitUntil(prepare().then(() => self.skipWaiting())));
  self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim().then(offline.forgetOlder)));

  async function prepare() {
    const away = await fetch(AWAY, { credentials: "same-origin" });
    if (!away.ok) throw new Error("the server is busy");
    await keepPage(AWAY, away);
    const codes = new Set((await offline.everyGame()).map((game) => game.code));
    for (const code of codes) await offline.refresh(code);
  }

  self.addEventListener("sync", (event) => event.waitUntil(sync()));

  // What still waits then, the browser is to try again.
  async function sync() {
    await offline.sendEverything();
    if (await offline.isWaiting()) throw new Error("not all is sent");
  }

  // Pages tell when the network may be back, and which of them came before there was a worker to see them.
  self.addEventListener("message", (event) => {
    const { code, see: unseen = [] } = event.data;
    // A game that has just begun stands on the first page, too. To see a page of it is to hear of it.
    const seen = new Set(code ? ["/", ...unseen] : unseen);
    const heard = offline.hear(unseen.some((path) => offline.codeOf(path) === code) ? {} : { code });
    event.waitUntil(Promise.all([heard, ...[...seen].map(see)]).catch(() => {}));
  });

  async function see(path) {
    const answer = await fetch(path, { credentials: "same-origin" });
    if (answer.ok) await keepSeen(offline.codeOf(path), new URL(path, location.href), answer);
  }

  self.addEventListener("fetch", (event) => {
    const { request } = event;
    const url = new URL(request.url);
    if (url.origin !== location.origin) return;
    const isOfGame = Boolean(offline.codeOf(url.pathname));
    if (request.method === "POST" && isOfGame) event.respondWith(tapped(event));
    else if (request.method !== "GET") return;
    else if (url.pathname.startsWith("/static/")) event.respondWith(file(request));
    else if (request.mode === "navigate" || request.headers.has("X-Page")) event.respondWith(page(event, url));
  });

  async function tapped(event) {
    const code = offline.codeOf(new URL(event.request.url).pathname);
    const answer = await offline.tap(event.request);
    // Where browsers have it, what waits is sent even when no page is open.
    if (answer.headers.has("Content-Location")) self.registration.sync?.register("steps").catch(() => {});
    // The sheet as it is after each hand, to look at when there is no network.
    else if (answer.ok && event.request.url.endsWith("/score")) event.waitUntil(see(`/g/${code}`).catch(() => {}));
    return answer;
  }

  async function file(request) {
    const cache = await caches.open(FILES);
    const kept = await cache.match(request);
    if (kept) return kept;
    const answer = await fetch(request);
    if (isLasting(answer)) await keepIn(cache, request.url, answer.clone(), MOST_FILES);
    return answer;
  }

  // Whether a file is there, and the one that its address names.
  const isLasting = (answer) => answer.ok && !/no-store/.test(answer.headers.get("Cache-Control"));

  // The network first; then what the phone knows of an open game, the page as it was seen last, or the page that says so.
  async function page(event, url) {
    const { request } = event;
    const code = offline.codeOf(url.pathname);
    const waiting = code && (await offline.page(request).catch(() => null));
    if (waiting) return waiting;
    try {
      if (navigator.onLine === false) throw new TypeError("no network");
      const answer = await offline.inTime(fetch(request));
      if (answer.status >= 500 && !offline.isOurs(await answer.clone().text())) throw new TypeError("nobody behind the proxy");
      if (answer.ok && !answer.redirected) event.waitUntil(keepSeen(code, url, answer.clone()));
      else if (answer.status === 404) event.waitUntil(forget(url));
      return answer;
    } catch {
      return (await unreachable(request, url, code)) ?? Response.error();
    }
  }

  async function unreachable(request, url, code) {
    if (url.searchParams.has("resume")) {
      const games = (await offline.allGames()).filter((game) => game.now);
      const [latest] = games.sort((one, other) => (one.at < other.at ? 1 : -1));
      if (latest) return Response.redirect(`/g/${latest.code}/hands/${latest.now.number}`, 303);
    }
    const known = code && (await offline.shown(request).catch(() => null));
    if (known) return known;
    const cache = await caches.open(PAGES);
    const headers = { "Content-Type": "text/html; charset=utf-8" };
    const seen = await cache.match(url.pathname);
    if (!seen) return new Response(await (await cache.match(AWAY)).text(), { status: 503, headers });
    // Old, and it says so: base.html has the words, with the time at which the page was made.
    return new Response((await seen.text()).replace("<html ", '<html class="is-away" '), { headers });
  }

  async function keepSeen(code, url, answer) {
    if (!answer.headers.get("Content-Type")?.startsWith("text/html") || SECRET.test(url.pathname)) return;
    const html = await answer.clone().text();
    if (!offline.isOurs(html)) return;
    await keepPage(url.pathname, answer);
    if (code && html.includes("data-keeper")) await offline.refresh(code);
  }

  async function keepPage(path, answer) {
    const html = await answer.clone().text();
    await keepIn(await caches.open(PAGES), path, answer, MOST_PAGES);
    const files = await caches.open(FILES);
    // Not the two that this worker has in it already.
    for (const [, address] of html.matchAll(/ (?:href|src|data-live|data-later)="(\/static\/[^"]+\?v=[^"]+)"/g)) {
      if (await files.match(address)) continue;
      const file = await fetch(address);
      if (isLasting(file)) await keepIn(files, address, file, MOST_FILES);
    }
  }

  async function keepIn(cache, address, answer, most) {
    await cache.delete(address); // so that what is used stands last, and what is old goes first
    await cache.put(address, answer);
    const kept = await cache.keys();
    for (const old of kept.filter((each) => new URL(each.url).pathname !== AWAY).slice(0, -most)) await cache.delete(old);
  }

  // This phone may not see it any longer, or it is gone: nothing of the game or the book is kept.
  async function forget(url) {
    const [whole] = url.pathname.match(/^\/[gb]\/[^/]+/) ?? [url.pathname];
    const cache = await caches.open(PAGES);
    for (const kept of await cache.keys()) if (`${new URL(kept.url).pathname}/`.startsWith(`${whole}/`)) await cache.delete(kept);
    const code = offline.codeOf(url.pathname);
    if (code) await offline.refresh(code);
  }
})();
