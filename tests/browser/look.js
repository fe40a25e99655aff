// What a page is like for eyes and thumbs, as a list of faults; see `look` in conftest.py.
({ pad, other, apart, isLarge }) => {
  const faults = [];
  const least = { text: Infinity, digits: Infinity, entry: Infinity };
  const root = document.documentElement;
  const name = (each) =>
    each.dataset.key || each.ariaLabel || each.textContent.trim().slice(0, 30) || each.name || each.tagName;
  const isSeen = (each) =>
    !each.closest(".unseen") && each.checkVisibility({ opacityProperty: true, visibilityProperty: true }) && each.getClientRects().length;

  // P4: the page never scrolls sideways, and no control is beyond its edge.
  if (root.scrollWidth > root.clientWidth) {
    const wide = [...document.querySelectorAll("main *")].filter((each) => each.getBoundingClientRect().right > root.clientWidth + 0.5);
    faults.push(`P4: the page is ${root.scrollWidth} wide: ${wide.slice(0, 4).map((each) => `${each.tagName}.${each.className}`)}`);
  }

  // A radio button or a tick is as large as its label; of the rest, what can be pressed.
  const hit = (each) => (each.matches("[type=radio], [type=checkbox]") && each.closest("label")) || each;
  const controls = [...document.querySelectorAll("button, a[href], input:not([type=hidden]), select, textarea, summary, [tabindex='0']")]
    .filter((each) => isSeen(hit(each)) && each.tabIndex >= 0);

  // In a sentence a link is as high as its line (WCAG 2.5.8, inline).
  const isInSentence = (each) => {
    if (!each.matches("a") || !getComputedStyle(each).display.startsWith("inline")) return false;
    const block = each.closest("p, li, dd, td, th, div").cloneNode(true);
    for (const link of block.querySelectorAll("a, button")) link.remove();
    return /\p{L}/u.test(block.textContent);
  };
  // A link that goes over two lines is pressed on its first one.
  const boxOf = (each) => hit(each).getClientRects()[0];
  const boxes = controls.map(boxOf);
  const middle = (box) => [box.left + box.width / 2, box.top + box.height / 2];
  // Whether a circle of 24 px around a small target touches any other target (WCAG 2.5.8, spacing).
  const isCrowded = (at) => {
    const [x, y] = middle(boxes[at]);
    return boxes.some((box, which) => {
      if (which === at || controls[which].contains(controls[at]) || controls[at].contains(controls[which])) return false;
      const [dx, dy] = [Math.max(box.left - x, 0, x - box.right), Math.max(box.top - y, 0, y - box.bottom)];
      return Math.hypot(dx, dy) < other / 2 - 0.1;
    });
  };
  controls.forEach((each, at) => {
    const { width, height } = boxes[at];
    const isEntry = each.matches(".key, .step, .primary, .button, .chip");
    if (isEntry) least.entry = Math.min(least.entry, width, height);
    if (isEntry && (width < pad - 0.1 || height < pad - 0.1)) faults.push(`P2: ${name(each)} is ${width.toFixed(1)} x ${height.toFixed(1)}`);
    else if ((width < other - 0.1 || height < other - 0.1) && !isInSentence(each) && isCrowded(at))
      faults.push(`P2: ${name(each)} is ${width.toFixed(1)} x ${height.toFixed(1)} and not alone`);
  });

  // Keys stand apart, and no two controls lie on each other.
  for (const [at, one] of controls.entries()) for (let next = at + 1; next < controls.length; next += 1) {
    const [two, a, b] = [controls[next], boxes[at], boxes[next]];
    if (one.contains(two) || two.contains(one)) continue;
    const gap = Math.max(a.left - b.right, b.left - a.right, a.top - b.bottom, b.top - a.bottom);
    const areKeys = [one, two].every((each) => each.matches(".key, .stepper .step, .seat .step"));
    if (areKeys && gap < apart - 0.1) faults.push(`P2: ${name(one)} and ${name(two)} are ${gap.toFixed(1)} apart`);
    const isStuck = [one, two].some((each) => each.closest(".dock, .preview"));
    if (!isStuck && gap < -1) faults.push(`P4: ${name(one)} and ${name(two)} lie on each other`);
  }

  // P4: what has the focus is wholly on the screen, and nothing lies on it (WCAG 2.4.11).
  const [left, top] = [scrollX, scrollY];
  const had = document.activeElement;
  for (const each of controls) {
    if (each.disabled) continue;
    each.focus();
    const box = boxOf(each);
    const [x, y] = middle(box);
    // In a frame that scrolls by itself, a part of it is enough.
    const inFrame = each.closest(".grid-frame") ? root.clientWidth - 24 : Infinity;
    const found = document.elementFromPoint(Math.min(x, inFrame), Math.min(Math.max(y, 0), innerHeight - 1));
    const isBare = found && (hit(each).contains(found) || found.contains(each) && found.matches("label"));
    if (!isBare) faults.push(`P4: ${name(each)} in focus is covered by ${found && (found.className || found.tagName)}`);
    else if (box.left < -0.5 || box.right > root.clientWidth + 0.5) {
      if (!each.closest(".grid-frame")) faults.push(`P4: ${name(each)} reaches from ${box.left} to ${box.right}`);
    }
  }
  had.focus({ preventScroll: true });
  if (document.activeElement !== had) document.activeElement.blur();
  scrollTo(left, top);

  // No word sticks out of what it stands on.
  for (const each of document.querySelectorAll(".key, .step, .primary, .button, .chip, .option span, .quiet")) {
    if (!isSeen(each)) continue;
    const box = each.getBoundingClientRect();
    const parts = document.createTreeWalker(each, NodeFilter.SHOW_TEXT);
    while (parts.nextNode()) {
      if (parts.currentNode.parentElement.closest(".unseen")) continue;
      const words = document.createRange();
      words.selectNodeContents(parts.currentNode);
      const { left, right } = words.getBoundingClientRect();
      if (right > left && (left < box.left - 1 || right > box.right + 1))
        faults.push(`P4: "${parts.currentNode.data.trim()}" from ${left.toFixed()} to ${right.toFixed()} sticks out of ${box.left.toFixed()} to ${box.right.toFixed()}`);
    }
  }
  if (isLarge) return { faults, least };

  // P7: one heading of the page, a title of its own, suits in words.
  if (document.querySelectorAll("h1").length !== 1) faults.push(`P7: ${document.querySelectorAll("h1").length} first headings`);
  if (!/\S/.test(document.title.split(" · ")[0])) faults.push("P7: the page has no title");
  for (const each of document.querySelectorAll(".suit")) if (!/\p{L}/u.test(each.textContent)) faults.push("P7: a suit without its word");

  // Digits stand in columns.
  const ragged = [...document.querySelectorAll("[data-page] *")].filter((each) =>
    [...each.childNodes].some((part) => part.nodeType === 3 && /\d/.test(part.data)) &&
    !getComputedStyle(each).fontVariantNumeric.includes("tabular-nums"));
  for (const kind of new Set(ragged.map((each) => `${each.tagName}.${each.getAttribute("class")}`)))
    faults.push(`the digits of ${kind} are not tabular`);

  // P3: contrast, from the colours that the browser came to.
  const parse = (colour) => {
    const [r, g, b, a = 1] = colour.match(/[\d.]+/g).map(Number);
    return { rgb: [r, g, b], a };
  };
  const over = (front, back) => front.rgb.map((each, at) => each * front.a + back[at] * (1 - front.a));
  const ground = (each) => {
    const layers = [];
    for (let at = each; at; at = at.parentElement) {
      layers.push(parse(getComputedStyle(at).backgroundColor));
      if (layers.at(-1).a === 1) break;
    }
    return layers.reverse().reduce((back, front) => over(front, back), [255, 255, 255]);
  };
  const light = (rgb) => {
    const [r, g, b] = rgb.map((each) => each / 255).map((each) => (each <= 0.04045 ? each / 12.92 : ((each + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const contrast = (each, colour) => {
    const back = ground(each);
    const [one, two] = [light(over(parse(colour), back)), light(back)];
    return (Math.max(one, two) + 0.05) / (Math.min(one, two) + 0.05);
  };
  const judge = (each, colour, wanted, which) => {
    const is = contrast(each, colour);
    least[which] = Math.min(least[which] ?? Infinity, is);
    if (is < wanted) faults.push(`P3: ${which} of ${each.tagName}.${each.getAttribute("class")} "${name(each)}" ${is.toFixed(2)}`);
  };
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const judged = new Set();
  while (walker.nextNode()) {
    const each = walker.currentNode.parentElement;
    if (judged.has(each) || !walker.currentNode.data.trim() || !isSeen(each) || each.closest(":disabled, script")) continue;
    judged.add(each);
    const style = getComputedStyle(each);
    const isDigit = /^\s*\d+\s*$/.test(walker.currentNode.data) && each.closest(".key:not(.is-barred), .seat-bid, .stepper");
    judge(each, each instanceof SVGElement ? style.fill : style.color, isDigit ? 7 : 4.5, isDigit ? "digits" : "text");
  }
  for (const each of document.querySelectorAll("input:not([type=hidden], [type=radio], [type=checkbox]), select, textarea")) {
    if (!isSeen(each)) continue;
    judge(each, getComputedStyle(each).color, 4.5, "text");
    if (each.placeholder && !each.value) judge(each, getComputedStyle(each, "::placeholder").color, 4.5, "text");
    const [border] = [getComputedStyle(each).borderBottomColor];
    if (parseFloat(getComputedStyle(each).borderBottomWidth)) judge(each.parentElement, border, 3, "edges");
  }
  for (const each of document.querySelectorAll(".suit path, .result, .moved, .chart polyline")) {
    const style = getComputedStyle(each);
    if (!isSeen(each)) continue;
    judge(each.closest("svg, span").parentElement, each.matches("polyline") ? style.stroke : each.matches("path") ? style.fill : style.backgroundColor, 3, "shapes");
  }
  return { faults, least };
};
