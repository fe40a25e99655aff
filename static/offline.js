// Goes on with an open game while the server cannot be asked: to the page it answers taps as the server would, by the
// rules of hand.js, and keeps every step until the server has it.
//
// It lives in the service worker (worker.js). Over plain http in a home network browsers allow none; there it lives in
// the page (later.js), and what it keeps is sent when the page is next opened.
//
// Steps are kept as the forms they came in, in order, and sent one at a time with the random `act` of each, so that a
// step sent twice has one effect. Where the server objects, the queue stops, shows what it says, and keeps the rest.

const offline = (() => {
  "use strict";

  const FORMAT = 1; // as in views/offline.py
  const PATIENCE = 2000; // milliseconds that somebody waits for the server; within 3 s a tap is saved, or marked as not saved
  const LONG_PATIENCE = 30000; // and that the queue does, behind the scenes
  const A_PAGES_PATIENCE = 8000; // and for what only the server can say
  const channel = new BroadcastChannel("scorebook");

  // The store: what the server told of each game, and the steps since, both those it has and those that wait.

  let database;

  function opened() {
    database ??= new Promise((resolve, reject) => {
      const request = indexedDB.open("scorebook", 1);
      request.onupgradeneeded = () => {
        request.result.createObjectStore("games", { keyPath: ["format", "code"] });
        request.result.createObjectStore("steps", { keyPath: "order", autoIncrement: true }).createIndex("code", "code");
      };
      request.onsuccess = () => {
        const found = request.result;
        found.onclose = () => (database = undefined);
        resolve(found);
      };
      request.onerror = () => reject(request.error);
    });
    return database;
  }

  // Phones close the store when they please, and then it is opened anew.
  function store(...asked) {
    return stored(...asked).catch(() => {
      database?.then((old) => old.close()).catch(() => {});
      database = undefined;
      return stored(...asked);
    });
  }

  async function stored(name, work, mode = "readwrite") {
    const transaction = (await opened()).transaction(name, mode, { durability: "strict" });
    const request = work(transaction.objectStore(name));
    return new Promise((resolve, reject) => {
      transaction.oncomplete = () => resolve(request.result);
      transaction.onabort = transaction.onerror = () => reject(transaction.error);
    });
  }

  const keep = (step) => store("steps", (steps) => steps.put(step));
  const drop = (step) => store("steps", (steps) => steps.delete(step.order));
  const stepsOf = (code) => store("steps", (steps) => steps.index("code").getAll(code), "readonly");
  const waitingOf = async (code) => (await stepsOf(code)).filter((step) => !step.isSent);
  const everybodyWaiting = async () => (await store("steps", (steps) => steps.getAll(), "readonly")).filter((step) => !step.isSent);
  const gameOf = (code) => store("games", (games) => games.get([FORMAT, code]), "readonly");
  const everyGame = () => store("games", (games) => games.getAll(), "readonly");
  const forget = ({ format, code }) => store("games", (games) => games.delete([format, code]));
  const allGames = async () => (await everyGame()).filter((game) => game.format === FORMAT);

  // What an older version of these scripts was told.
  async function forgetOlder() {
    for (const game of await everyGame()) if (game.format !== FORMAT) await forget(game);
  }

  // A step as hand.js takes it; nothing for any other address.
  function read({ path, body }) {
    const found = path.match(/\/hands\/(\d+)\/(trump|bids|rebid|tally|over|tricks|score)$/);
    return found && { number: Number(found[1]), part: found[2], fields: Object.fromEntries(new URLSearchParams(body)) };
  }

  const isStep = (path) => Boolean(read({ path, body: "" })) || path.endsWith("/waiting");
  const isShown = (path) => /\/(hands\/\d+|now)$|^\/g\/\w+$/.test(path);
  const codeOf = (path) => path.match(/^\/g\/([a-z2-7]+)(?=\/|$)/)?.[1];
  const now = () => new Date().toISOString();

  // Where a game stands: by the server, and with the steps that wait. Nothing for a game that the phone does not know.
  async function standing(code) {
    const [game, steps] = [await gameOf(code), await stepsOf(code)];
    if (!game) return null;
    const after = (state, step) => {
      try {
        return hands.play(game, state, read(step));
      } catch {
        return state; // The server objects to it as well, and its page tells.
      }
    };
    const sent = steps.filter((step) => step.isSent);
    const waiting = steps.filter((step) => !step.isSent);
    const saved = sent.reduce(after, hands.begin(game));
    const heard = sent.reduce((latest, step) => (step.at > latest ? step.at : latest), game.at);
    return { game, waiting, saved, state: waiting.reduce(after, saved), heard };
  }

  // Ask the server how the game stands. What it has by then need not be kept.
  const refreshing = new Map();

  function refresh(code) {
    const running = refreshing.get(code);
    if (running) running.again = true;
    else refreshing.set(code, { again: false, done: refreshed(code) });
    return refreshing.get(code).done;
  }

  async function refreshed(code) {
    try {
      do {
        await null;
        refreshing.get(code).again = false;
        const had = (await stepsOf(code)).filter((step) => step.isSent);
        const answer = await fetch(`/g/${code}/offline.json`, { credentials: "same-origin" });
        if (!answer.ok && answer.status !== 404) throw new TypeError(`the server says ${answer.status}`);
        const game = answer.ok ? await answer.json() : null;
        if (game && game.format !== FORMAT) return;
        const isUsed = game?.now || (await waitingOf(code)).length;
        // Over, or of a book that this phone keeps no longer: there is nothing to go on with.
        if (!isUsed && (game || answer.status === 404)) await forget({ format: FORMAT, code });
        else if (game) await store("games", (games) => games.put(game));
        for (const step of had) await drop(step);
      } while (refreshing.get(code).again);
    } finally {
      refreshing.delete(code);
    }
  }

  // The server's answer and its text, as far as it answers. Throws where it cannot be reached.
  async function post({ path, body }, patience) {
    if (navigator.onLine === false) throw new TypeError("no network");
    const limit = new AbortController();
    const timer = setTimeout(() => limit.abort(), patience);
    try {
      const answer = await fetch(path, {
        method: "POST",
        body,
        headers: { "Content-Type": "application/x-www-form-urlencoded" },
        credentials: "same-origin",
        signal: limit.signal,
      });
      return { answer, html: await answer.clone().text() };
    } finally {
      clearTimeout(timer);
    }
  }

  // Every page of the scorebook says so; the sign-in page of a hotel does not, nor what a proxy says for a server that
  // is just starting.
  const isOurs = (html) => html.includes("data-page");

  // Send what waits, in order, one step at a time, until all is sent or something is in the way.
  const sending = new Map();

  function send(code) {
    const running = sending.get(code);
    if (running) running.again = true;
    else sending.set(code, { again: false, done: sendAll(code) });
    return sending.get(code).done;
  }

  async function sendAll(code) {
    let news = 0;
    try {
      do {
        await null;
        sending.get(code).again = false;
        for (let [step] = await waitingOf(code); step && !step.trouble; [step] = await waitingOf(code)) {
          const { answer, html } = await post(step, LONG_PATIENCE);
          if (answer.status >= 500 || [408, 429].includes(answer.status) || !isOurs(html)) return;
          const isLeftOut = !(await waitingOf(code)).some(({ order }) => order === step.order);
          if (!isLeftOut) await keep(answer.ok ? { ...step, isSent: true, at: now() } : { ...step, trouble: { status: answer.status, html } });
          news += 1;
        }
      } while (sending.get(code).again);
    } catch {
      // No network yet: all of it stays, and is tried again.
    } finally {
      sending.delete(code);
      if (news) {
        await refresh(code).catch(() => {});
        channel.postMessage({ code });
      }
    }
  }

  async function sendEverything() {
    const codes = new Set((await everybodyWaiting()).map((step) => step.code));
    await Promise.all([...codes].map(send));
  }

  // Whether something waits that only needs the network.
  async function isWaiting() {
    const waiting = await everybodyWaiting();
    return waiting.some((step, at) => !step.trouble && waiting.findIndex(({ code }) => code === step.code) === at);
  }

  // What a page tells: that the server may be reached again, and which game it shows.
  async function hear({ code }) {
    await Promise.allSettled([sendEverything(), code && refresh(code)]);
  }

  // Games of which the phone could not keep what it was told.
  const missed = new Set();

  // A tap. The server answers it, or, where it cannot and the game is known, this phone does. Those of a game one by one.
  const turns = new Map();

  function tap(request) {
    const code = codeOf(new URL(request.url).pathname);
    if (!code) return fetch(request);
    const taken = (turns.get(code) ?? Promise.resolve()).then(() => take(request, code));
    turns.set(code, taken.catch(() => {}));
    return taken;
  }

  async function take(request, code) {
    const path = new URL(request.url).pathname;
    let first;
    try {
      [first] = await waitingOf(code);
    } catch {
      missed.add(code);
      return fetch(request); // Without a store there is only the server.
    }
    if (!isStep(path)) return passOn(request, code, first);

    const body = await request.text();
    const step = { code, path, body };
    const fields = Object.fromEntries(new URLSearchParams(body));
    if (path.endsWith("/waiting")) {
      await leaveOut(code, fields.do);
      if (fields.do === "undo") return shown(request);
      await send(code);
      return (await shownIfWaiting(request)) ?? redirected(request, `/g/${code}/now`);
    }
    if (!first || first.trouble || !(await gameOf(code))) {
      const { answer, html = "", error } = await post(step, PATIENCE).catch((error) => ({ error }));
      if (answer?.ok && isOurs(html)) {
        keep({ ...step, isSent: true, at: now() }).catch(() => {});
        if (missed.delete(code) || read(step).part === "score") refresh(code).catch(() => {});
        if (first?.trouble) await goOn(first);
        const left = first && (await shownIfWaiting(request));
        return left || (isNavigation(request) && answer.redirected ? Response.redirect(answer.url, 303) : answer);
      }
      const isKnown = !first && Boolean(await gameOf(code).catch(() => null));
      if (answer && (isOurs(html) || !isKnown)) return answer;
      if (!isKnown) throw error;
    }
    const { game, state } = await standing(code);
    try {
      hands.play(game, state, read(step));
    } catch (objection) {
      return shown(request, { objection, fields });
    }
    await keep(step);
    if (first) send(code);
    return shown(request);
  }

  // Whatever else is done to a game needs the server, and what waits comes before it; afterwards the phone learns anew
  // how the game stands.
  async function passOn(request, code, first) {
    if (first && !first.trouble) {
      await atMost(send(code), PATIENCE);
      const left = await shownIfWaiting(request);
      if (left) return left;
    }
    const answer = await inTime(fetch(request));
    if (answer.ok || answer.type === "opaqueredirect") {
      if (first?.trouble) goOn(first);
      else refresh(code).catch(() => {});
    }
    return answer;
  }

  const atMost = (work, time) => Promise.race([work, new Promise((resolve) => setTimeout(resolve, time))]);

  // The answer, if it comes before somebody gives up.
  async function inTime(answer) {
    const come = await atMost(answer, A_PAGES_PATIENCE);
    if (!come) throw new TypeError("no answer");
    return come;
  }

  // Somebody has put right what the queue stopped at: try that step again, and those behind it.
  async function goOn(stopped) {
    await keep({ ...stopped, trouble: undefined });
    await send(stopped.code);
  }

  // Forget steps that were not sent: the last one (undo), the one the queue stopped at, or all.
  async function leaveOut(code, which) {
    const waiting = await waitingOf(code);
    const left = which === "undo" ? waiting.slice(-1) : which === "drop" ? waiting.slice(0, 1) : waiting;
    for (const step of left) await drop(step);
  }

  // A page of a game. Nothing where the server should be asked: no step waits.
  async function page(request) {
    const url = new URL(request.url);
    const code = codeOf(url.pathname);
    const [first] = await waitingOf(code);
    if (!first) return null;
    // "Keep what it says" under both versions side by side.
    if (first.trouble && read(first).fields.act === url.searchParams.get("keep")) await drop(first);
    await atMost(send(code), PATIENCE / 2);
    return shownIfWaiting(request);
  }

  async function shownIfWaiting(request) {
    const [first] = await waitingOf(codeOf(new URL(request.url).pathname));
    return first ? shown(request) : null;
  }

  // The page of a game as this phone knows it; nothing where it does not. Without a step that waits, the sheet that the
  // server made last says more.
  async function shown(request, { objection = null, fields = {} } = {}) {
    const url = new URL(request.url);
    const code = codeOf(url.pathname);
    const at = await standing(code);
    if (!at || (request.method === "GET" && !isShown(url.pathname))) return null;
    const { state, waiting } = at;
    const isStopped = Boolean(waiting[0]?.trouble);
    const isSheet = url.pathname === `/g/${code}`;
    if (isSheet && !isStopped && !(state.isFinished && waiting.length)) return null;
    if (state.isFinished && !waiting.length) return null;
    const where = state.isFinished ? `/g/${code}` : `/g/${code}/hands/${state.number}`;
    const asked = request.method === "GET" ? Object.fromEntries(url.searchParams) : {};
    const html = isStopped ? conflict(at) : draw(at, { objection, fields, ...asked });
    if (isNavigation(request) && !objection && !isStopped && (request.method === "POST" || url.pathname !== where)) {
      return Response.redirect(where, 303);
    }
    const headers = { "Content-Type": "text/html; charset=utf-8" };
    if (!objection) headers["Content-Location"] = where;
    return new Response(html, { status: isStopped ? 409 : objection ? 422 : 200, headers });
  }

  const isNavigation = (request) => request.mode === "navigate";

  function redirected(request, where) {
    return isNavigation(request) ? Response.redirect(where, 303) : fetch(where, { credentials: "same-origin" });
  }

  // The pages, put together from the pieces of templates/offline/hand.html.

  class Html {
    constructor(text) {
      this.text = text;
    }
  }

  const ENTITIES = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };
  const escaped = (text) => String(text).replace(/[&<>"']/g, (sign) => ENTITIES[sign]);
  const written = (value) => (Array.isArray(value) ? value.map(written).join("") : value instanceof Html ? value.text : escaped(value ?? ""));

  function newAct() {
    return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  }

  // Fills pieces of a game's pages: the name of the piece, and what stands in its places.
  const filler = (game) => (piece, values = {}) =>
    new Html(game.parts[piece].replace(/%\((\w+)\)[ds]/g, (_, place) => written(place === "act" ? newAct() : values[place])));

  const signed = (points) => (points > 0 ? "+" : "") + String(points).replace("-", "−");
  const plain = (points) => String(points).replace("-", "−");

  function clock(game, instant) {
    const at = new Date(instant);
    const isToday = at.toDateString() === new Date().toDateString();
    return new Intl.DateTimeFormat(game.locale, { dateStyle: isToday ? undefined : "medium", timeStyle: "short" }).format(at);
  }

  function draw(at, asked) {
    const { game, state, saved, waiting, heard } = at;
    const fill = filler(game);
    const time = clock(game, heard);
    const note = waiting.length ? fill("note-unsaved", { waiting: waiting.length, time }) : fill("note", { time });
    const isNew = saved.number !== state.number;
    const view = {
      ...at,
      asked,
      fill: (piece, values) => fill(piece, { number: state.number, ...values }),
      name: (seat) => fill("name", { name: game.names[seat] }),
      // The mark of a fact that the server does not have.
      mark: (fact, seat) => (isNew || saved[fact]?.[seat] !== state[fact]?.[seat] ? fill("unsaved") : ""),
      isNew,
    };
    let [phase, title, content] = ["finished", "title-finished", null];
    if (state.isFinished) content = finishedPage(view);
    else {
      Object.assign(view, { hand: hands.dealt(game, state), bidding: hands.bidding(game, state) });
      phase = hands.phase(game, state);
      const isOpen = phase !== "tricks";
      if (isOpen && view.bidding.order.includes(Number(asked.seat ?? -1))) phase = "bids";
      else if (isOpen && asked.show === "trump") phase = "deal";
      else if (phase === "deal" && asked.show === "bids") phase = "bids";
      title = game.isOpenEnded ? "title-open-ended" : "title";
      const isFresh = ["deal", "bids"].includes(phase) && view.bidding.total === 0 && state.last;
      content = [isFresh ? result(view) : "", PAGES[phase](view)];
    }
    return fill("page", {
      kind: state.isFinished ? "sheet" : `hand phase-${phase}`,
      title: fill(title, { number: state.number, hands: game.planned }),
      undo: waiting.length ? fill("undo") : "",
      waiting: waiting.length,
      content: [note, content],
    }).text;
  }

  const PAGES = {
    deal(view) {
      const { game, hand, name, fill } = view;
      const prompt = game.rules.trump === "turned" && !hand.isCardLeft ? "exhausted" : game.rules.trump;
      const dealer = name(hand.dealer);
      return fill("deal", {
        dealer,
        count: hand.cards,
        each: fill(`each-${hand.cards}`),
        prompt: game.parts[`prompt-${prompt}`] ? fill(`prompt-${prompt}`, { dealer }) : "",
        suits: suits(view),
      });
    },

    bids(view) {
      const { game, state, hand, bidding, fill, name, asked } = view;
      const wanted = Number(asked.seat ?? -1);
      const seat = bidding.order.includes(wanted) ? wanted : bidding.next;
      const prompts = [];
      if (state.trump === "none" && game.rules.trump === "turned") prompts.push(fill("no-trump"));
      if (hand.isForehead) prompts.push(fill("forehead"));
      if (bidding.mustChange !== null) prompts.push(fill("must-change", { player: name(bidding.mustChange) }));
      if (bidding.mustRebid) prompts.push(fill("must-rebid"));
      const isAsked = asked.objection?.what === "hook";
      let pad = "";
      if (isAsked) pad = hookQuestion(view);
      else if (bidding.mustRebid && seat !== wanted) pad = fill("rebid");
      else if (seat !== null && seat !== undefined) pad = padOf(view, seat);
      return fill("bids", {
        facts: facts(view),
        prompts,
        seats: bidding.order.map((each) => fill(each === seat ? "seat-now" : "seat", { seat: each, ...inRow(view, each) })),
        message: message(view),
        balance: balance(view),
        pad,
      });
    },

    naming(view) {
      const { game, state, bidding, fill, name } = view;
      return fill("naming", {
        facts: facts(view),
        balance: balance(view),
        seats: bidding.order.map((seat) => fill("seat", { seat, ...inRow(view, seat) })),
        player: name(hands.highestBidder(game, state)),
        suits: suits(view),
      });
    },

    play(view) {
      const { game, state, hand, bidding, fill, name, mark } = view;
      const given = hands.sum(state.tally);
      const leader = hands.leader(game, state);
      const row = (seat) => {
        const count = state.tally[seat] ?? 0;
        const toGo = state.bids[seat] - count;
        let role = seat === leader ? fill("leads") : seat === hand.dealer ? fill("dealer") : "";
        if (given) role = toGo ? fill(toGo > 0 ? "needs" : "too-many", { count: Math.abs(toGo) }) : fill("just-right");
        const label = fill("label-less", { player: game.names[seat] });
        return fill("seat-play", {
          seat,
          was: state.tally[seat],
          tap: fill(given < hand.cards ? "tap-more" : "tap-none", {
            ...{ seat, role, player: name(seat), bid: state.bids[seat], more: count + 1 },
            mark: mark("bids", seat) || mark("tally", seat),
            label: fill("label-more", { player: game.names[seat] }),
          }),
          less: count ? fill("tap-less", { seat, label, fewer: count - 1 }) : "",
        });
      };
      return [
        message(view),
        fill("play", {
          facts: facts(view),
          balance: balance(view),
          seats: bidding.order.map(row),
          foot: fill(given === hand.cards ? "foot-given" : "foot-tally"),
        }),
      ];
    },

    tricks(view) {
      const { game, state, hand, bidding, fill, name, asked } = view;
      const proposed = hands.proposed(game, state);
      const total = hands.sum(proposed);
      const row = (seat) => {
        const [shown, player] = [proposed[seat], game.names[seat]];
        return fill("seat-tricks", {
          ...{ seat, shown, player: name(seat), bid: state.bids[seat], was: state.took[seat] },
          ...{ fewer: shown - 1, noLess: shown ? "" : " disabled", labelLess: fill("label-less", { player }) },
          ...{ more: shown + 1, noMore: shown < hand.cards ? "" : " disabled", labelMore: fill("label-more", { player }) },
          missed: shown === state.bids[seat] ? "" : " is-missed",
          ...{ took: fill("took", { tricks: shown }), news: fill("word-tricks", { player, tricks: shown }) },
        });
      };
      const isAsked = asked.objection?.what === "everybody-made-it";
      const isUneven = asked.objection?.what === "sum";
      const save = fill("save", { waiting: total === hand.cards ? "" : " is-waiting" });
      return fill("tricks", {
        facts: facts(view),
        seats: bidding.order.map(row),
        fields: bidding.order.map((seat) => fill("field", { seat, shown: proposed[seat], was: state.took[seat] })),
        message: message(view),
        off: total === hand.cards ? "" : " is-off",
        sum: fill(`taken-of-${hand.cards}`, { tricks: total, num: hand.cards }),
        save: isAsked
          ? fill("confirm", { uneven: asked.fields.uneven ? fill("is-uneven") : "" })
          : [isUneven ? fill("uneven") : "", save],
      });
    },
  };

  function finishedPage(view) {
    const { game, state, fill, name } = view;
    const winners = hands.standings(game, state).filter((each) => each.place === 1);
    const called = winners.flatMap((each, at) => [at ? " · " : "", name(each.seat)]);
    return fill("finished", { winners: state.isExact ? called : "", result: result(view) });
  }

  function facts(view) {
    const { game, state, hand, fill, name, saved, isNew } = view;
    const isNamed = state.trump !== null;
    const mark = isNamed && (isNew || saved.trump !== state.trump) ? fill("unsaved") : "";
    const suit = isNamed ? fill(`suit-${state.trump}`) : fill("name-trump");
    return fill("facts", {
      trump: isNamed || game.rules.asksTrumpFirst ? fill("facts-trump", { suit, mark }) : "",
      cards: fill(`cards-${hand.cards}`, { num: hand.cards }),
      dealer: name(hand.dealer),
    });
  }

  function balance({ state, hand, bidding, fill }) {
    const { total, difference, isComplete } = bidding;
    const verdict = fill(difference ? (difference > 0 ? "over" : "under") : "even", { count: Math.abs(difference) });
    return fill("balance", { sum: fill(`bid-of-${hand.cards}`, { bids: total, num: hand.cards }), verdict: isComplete ? verdict : "" });
  }

  function inRow({ game, state, hand, fill, name, mark }, seat) {
    const bid = state.bids[seat];
    return {
      player: name(seat),
      role: seat === hand.dealer ? fill("dealer") : "",
      blind: state.blind.includes(seat) ? fill("blind") : "",
      bid:
        bid === null
          ? fill("no-bid")
          : fill("bid", { seat, bid, mark: mark("bids", seat), news: fill("news-bid", { player: game.names[seat], bid }) }),
    };
  }

  function padOf(view, seat) {
    const { game, state, hand, bidding, fill, name } = view;
    let foot = "";
    const keys = Array.from({ length: hand.cards + 1 }, (_, bid) => {
      const refusal = bidding.refusal(seat, bid);
      if (refusal) foot = fill("foot", { bid, sentence: refusalSentence(view, refusal, bid) });
      const label = fill(refusal ? "label-barred" : "label-bid", { player: game.names[seat], bid });
      return fill(refusal ? "key-barred" : "key", { seat, bid, label });
    });
    let blind = "";
    if (hand.isForehead) blind = fill("is-blind");
    else if (game.rules.blindBids) blind = fill("blind-switch", { checked: state.blind.includes(seat) ? " checked" : "" });
    return fill("pad", { seat, was: state.bids[seat], blind, player: name(seat), keys, foot });
  }

  function hookQuestion({ state, fill, asked }) {
    const { seat, bid, blind } = asked.fields;
    return fill("pad-question", { seat, bid, was: state.bids[seat], blind: blind ? fill("is-blind") : "" });
  }

  function suits(view) {
    const { game, state, bidding, fill, name } = view;
    const option = (seat) => fill("option", { seat, player: name(seat), checked: seat === state.namedBy ? " checked" : "" });
    return fill("suits", {
      was: state.trump,
      auction: game.rules.trump === "auction" ? fill("auction", { options: bidding.order.map(option) }) : "",
      later: bidding.missing.length === bidding.order.length ? fill("later") : "",
    });
  }

  function refusalSentence({ hand, fill }, what, bid) {
    return fill(what === "barred" ? `no-barred-${hand.cards}` : `no-${what}`, { bid, count: hand.cards, cards: hand.cards });
  }

  function message(view) {
    const { objection } = view.asked;
    if (!objection || objection.isQuestion) return "";
    return view.fill("message", { sentence: refusalSentence(view, objection.what, objection.values.bid) });
  }

  // The hand before, or at the end of the game the last one, with the totals as far as they are known.
  function result({ game, state, fill, name, isNew }) {
    const { bids, took, points } = state.last;
    const row = ({ seat, total, place }) => {
      const isMade = bids[seat] === took[seat];
      const kind = isMade ? "made" : took[seat] > bids[seat] ? "too-many" : "too-few";
      return fill("row", {
        ...{ player: name(seat), bid: bids[seat] ?? "–", took: took[seat], total: plain(total), place },
        result: bids[seat] === null ? "" : fill(`result-${kind}`),
        points: points[seat] === null ? "" : signed(points[seat]),
        mark: isNew ? fill("unsaved") : "",
      });
    };
    return fill("result", {
      number: state.last.number,
      rows: hands.standings(game, state).map(row),
      inexact: isNew && !state.isExact ? fill("inexact") : "",
    });
  }

  // What the server said to the step at which the queue stopped, with the step's name and the ways out above it.
  function conflict({ game, waiting }) {
    const [step] = waiting;
    const { trouble } = step;
    const values = { label: label(game, step), behind: waiting.length - 1 };
    const told = filler(game)(trouble.status === 409 ? "conflict-stale" : "conflict", values).text;
    return trouble.html
      .replace(" data-page", ` data-page data-waiting="stopped-${step.order}"`)
      .replace(/ data-poll="[^"]*"/, "") // It stands until it is answered, whoever writes meanwhile.
      .replace("<main>", () => `<main>${told}`)
      .replace(/ data-keep href="([^"]*)"/, (_, address) => ` href="${address}?keep=${read(step).fields.act}"`);
  }

  function label(game, step) {
    const fill = filler(game);
    const { number, part, fields } = read(step);
    const player = game.names[fields.seat];
    const words = {
      trump: () => fill(`word-${fields.trump}`),
      bids: () => fill("label-bid", { player, bid: fields.bid }),
      tally: () => fill("word-tricks", { player, tricks: fields.tricks }),
      tricks: () => fill("word-tricks", { player, tricks: fields.tricks }),
    };
    return fill("label-step", { number, what: (words[part] ?? (() => fill(`word-${part}`)))() });
  }

  return { tap, page, shown, refresh, sendEverything, isWaiting, hear, allGames, everyGame, forgetOlder, codeOf, isOurs, inTime };
})();
