// The rules of a hand on the phone, for as long as the server cannot be asked; nothing here touches page or network.
//
// They are those of rules/bidding.py, rules/sheet.py and the verbs of models.py, and tests/browser/test_offline.py holds
// them against those over whole small tables. The server checks everything again when it is sent.
//
// `game` is what views/offline.py tells and never changes; `state` is where the game stands, and each step makes a new
// one. A step is what a form sends: {number, part, fields}.

const hands = (() => {
  "use strict";

  // Why a step is not taken: `what` names the sentence, or the question that a second tap says yes to.
  class Objection extends Error {
    constructor(what, { values = {}, isQuestion = false } = {}) {
      super(what);
      Object.assign(this, { what, values, isQuestion });
    }
  }

  const sum = (counts) => counts.reduce((total, count) => total + (count ?? 0), 0);
  const startingAt = (seats, seat) => [...seats.slice(seats.indexOf(seat)), ...seats.slice(0, seats.indexOf(seat))];
  const changed = (list, at, value) => list.map((each, place) => (place === at ? value : each));

  // Where the game stands by what the server told.
  function begin(game) {
    const { totals, zeros, last, isExact } = game;
    return { ...game.now, totals, zeros, last, isExact, isFinished: !game.now };
  }

  // The hand that is played: its size, its dealer, the seats from the one after the dealer on.
  function dealt(game, state) {
    return game.hands.find((hand) => hand.number === state.number);
  }

  // Everything about the bids as they stand.
  function bidding(game, state) {
    const { around, cards, hook, zeros } = dealt(game, state);
    const { first, even, trump } = game.rules;
    const hasAuctioneer = trump === "auction" && around.includes(state.namedBy);
    let order = around;
    if (first === "dealer") order = startingAt(around, around.at(-1));
    if (first === "highest-bidder" && hasAuctioneer) order = startingAt(around, state.namedBy);

    const missing = order.filter((seat) => state.bids[seat] === null);
    const total = sum(order.map((seat) => state.bids[seat]));
    const isEven = !missing.length && total === cards;
    const mustChange = even === "left-changes" && isEven ? around[0] : null;
    const mustRebid = even === "rebid" && isEven;

    // The number that would make the table even, where that is barred.
    function barred(seat) {
      if (!(hook || seat === mustChange) || missing.some((other) => other !== seat)) return null;
      const rest = cards - total + (state.bids[seat] ?? 0);
      return rest >= 0 && rest <= cards ? rest : null;
    }

    // Why a seat may not bid that: the name of a sentence, or nothing.
    function refusal(seat, bid) {
      if (!Number.isInteger(bid) || bid < 0 || bid > cards) return "range";
      const isSpent = zeros > 0 && state.zeros[seat] >= zeros;
      // In a one-card hand the hook may leave nothing but zero; then zero it is.
      if (bid === 0 && isSpent && !(cards === 1 && barred(seat) === 1)) return "zero";
      return bid === barred(seat) ? "barred" : null;
    }

    return {
      order,
      missing,
      total,
      difference: total - cards,
      isComplete: !missing.length,
      isSettled: !missing.length && mustChange === null && !mustRebid,
      next: missing[0] ?? mustChange,
      mustChange,
      mustRebid,
      barred,
      refusal,
    };
  }

  // Where the hand stands, as far as the facts tell.
  function phase(game, state) {
    if (state.isOver) return "tricks";
    const bids = bidding(game, state);
    if (bids.isSettled) return state.trump === null && game.rules.trump === "highest-bidder" ? "naming" : "play";
    const isUntouched = bids.missing.length === bids.order.length;
    return state.trump === null && isUntouched && game.rules.asksTrumpFirst ? "deal" : "bids";
  }

  // The first of those who bid most.
  function highestBidder(game, state) {
    const { order, isSettled } = bidding(game, state);
    if (!isSettled) return null;
    return order.reduce((best, seat) => (state.bids[seat] > state.bids[best] ? seat : best));
  }

  // Who leads to the first trick.
  function leader(game, state) {
    const { around } = dealt(game, state);
    const { leads, trump } = game.rules;
    if (leads === "dealer") return around.at(-1);
    if (leads !== "highest-bidder") return around[0];
    return trump === "auction" && around.includes(state.namedBy) ? state.namedBy : highestBidder(game, state);
  }

  // The tricks to show when the hand is over: what was entered, the one that follows, a complete tally, or the bids.
  function proposed(game, state) {
    const { around, cards } = dealt(game, state);
    const untouched = around.filter((seat) => state.took[seat] === null);
    const filled = [...state.took];
    if (untouched.length === 1 && around.length > 1) {
      filled[untouched[0]] = Math.min(Math.max(cards - sum(state.took), 0), cards);
    } else {
      const source = sum(state.tally) === cards ? state.tally : state.bids;
      for (const seat of untouched) filled[seat] = source[seat] ?? 0;
    }
    return filled;
  }

  // The state after a step; the same one where the step belongs to another hand. Throws an Objection.
  function play(game, state, { number, part, fields }) {
    if (state.isFinished || number !== state.number) return state;
    return parts[part](game, state, fields);
  }

  const parts = {
    trump(game, state, { trump, named_by: namedBy }) {
      return { ...state, trump, namedBy: namedBy ? Number(namedBy) : state.namedBy };
    },

    bids(game, state, fields) {
      const [seat, bid] = [Number(fields.seat), Number(fields.bid)];
      const bids = bidding(game, state);
      const isAgainstHook = dealt(game, state).hook && bid === bids.barred(seat) && seat !== bids.order.at(-1);
      if (isAgainstHook && !fields.insist) throw new Objection("hook", { isQuestion: true });
      const refusal = !isAgainstHook && bids.refusal(seat, bid);
      if (refusal) throw new Objection(refusal, { values: { bid } });
      const others = state.blind.filter((each) => each !== seat);
      return { ...state, bids: changed(state.bids, seat, bid), blind: fields.blind ? [...others, seat] : others };
    },

    rebid(game, state) {
      if (!bidding(game, state).mustRebid) return state;
      return { ...state, bids: state.bids.map(() => null), blind: [] };
    },

    tally(game, state, fields) {
      const [seat, tricks] = [Number(fields.seat), Number(fields.tricks)];
      const tally = changed(state.tally, seat, tricks);
      if (tricks < 0 || sum(tally) > dealt(game, state).cards) throw new Objection("tally");
      return { ...state, tally };
    },

    over(game, state) {
      if (!bidding(game, state).isSettled) throw new Objection("unsettled");
      return { ...state, isOver: true };
    },

    tricks(game, state, fields) {
      const [seat, tricks] = [Number(fields.seat), Number(fields.tricks)];
      if (tricks < 0 || tricks > dealt(game, state).cards) throw new Objection("tricks");
      return { ...state, took: changed(state.took, seat, tricks) };
    },

    score(game, state, fields) {
      const { around, cards } = dealt(game, state);
      if (!bidding(game, state).isSettled) throw new Objection("unsettled");
      const took = state.took.map((_, seat) => (around.includes(seat) ? Number(fields[`tricks-${seat}`]) : null));
      if (around.some((seat) => !(took[seat] >= 0 && took[seat] <= cards))) throw new Objection("tricks");
      if (sum(took) !== cards && !fields.uneven) throw new Objection("sum");
      const isUntouched = around.every((seat) => state.took[seat] === null && state.tally[seat] === null);
      const isAllMade = around.every((seat) => state.bids[seat] === took[seat]);
      if (isUntouched && isAllMade && !fields.confirmed) throw new Objection("everybody-made-it", { isQuestion: true });
      return next(game, { ...state, took });
    },
  };

  // The hand is closed: what it pays, and the one that follows.
  function next(game, state) {
    const { around, pays } = dealt(game, state);
    const table = game.pays[pays];
    const points = state.bids.map((bid, seat) => (around.includes(seat) && table ? table[bid][state.took[seat]] : null));
    const totals = state.totals.map((total, seat) => total + (points[seat] ?? 0));
    const zeros = state.zeros.map((run, seat) => (!around.includes(seat) ? run : state.bids[seat] ? 0 : run + 1));
    const isExact = state.isExact && Boolean(table);
    const last = { number: state.number, bids: state.bids, took: state.took, points };
    const { target } = game.rules;
    const isWon = target > 0 && isExact && Math.max(...totals) >= target;
    const following = game.hands.find((hand) => hand.number === state.number + 1);
    const nothing = state.bids.map(() => null);
    return {
      ...state,
      ...{ totals, zeros, last, isExact, isFinished: isWon || !following },
      ...{ number: state.number + 1, trump: following?.trump ?? null, namedBy: null, blind: [], isOver: false },
      ...{ bids: nothing, took: nothing, tally: nothing },
    };
  }

  // Everybody from first to last with place and total; equal totals share a place.
  function standings(game, { totals }) {
    const better = (one, other) => (game.rules.lowestWins ? one < other : one > other);
    return totals
      .map((total, seat) => ({ seat, total, place: 1 + totals.filter((other) => better(other, total)).length }))
      .sort((one, other) => one.place - other.place || one.seat - other.seat);
  }

  return { Objection, begin, dealt, bidding, phase, highestBidder, leader, proposed, play, standings, sum };
})();
