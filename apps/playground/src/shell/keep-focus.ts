const SECTION = "section[aria-labelledby]";

/**
 * Moves the focus when the element that has it leaves the page, as a button does that is no longer needed: to the heading
 * of the section that it was in, or to that of the page. Otherwise keyboards and screen readers would start over at the
 * top of the page.
 */
export function keepFocus(root: HTMLElement): void {
  let last: Focused | null = null;
  const remember = ({ target }: FocusEvent): void => {
    if (target instanceof HTMLElement) last = toFocused(target);
  };
  root.addEventListener("focusin", remember);
  // A click beside all controls takes the focus away on purpose. A click on one focuses it afterwards.
  root.addEventListener("pointerdown", () => (last = null));
  const observer = new MutationObserver(() => {
    if (last === null || last.element.isConnected) return;
    const { sections, isVisible } = last;
    last = null;
    if (document.activeElement === document.body) focusHeading(sections, isVisible);
  });
  observer.observe(root, { childList: true, subtree: true });
}

/** The element that has the focus, and its place, which cannot be found any more when it has left the page. */
interface Focused {
  readonly element: HTMLElement;
  /** The sections that it is in, the innermost first. */
  readonly sections: readonly HTMLElement[];
  /** True if the visitor sees the focus, usually because of a keyboard. */
  readonly isVisible: boolean;
}

function toFocused(element: HTMLElement): Focused {
  const sections: HTMLElement[] = [];
  for (let at = element.closest<HTMLElement>(SECTION); at !== null;) {
    sections.push(at);
    at = at.parentElement?.closest<HTMLElement>(SECTION) ?? null;
  }
  return { element, sections, isVisible: element.matches(":focus-visible") };
}

/** Does not scroll for visitors with a pointer, who look at the place of their click. */
function focusHeading(sections: readonly HTMLElement[], isVisible: boolean): void {
  const section = sections.find(({ isConnected }) => isConnected);
  const id = section?.getAttribute("aria-labelledby") ?? "";
  const heading = document.getElementById(id) ?? document.querySelector("h1");
  if (heading === null) return;
  heading.tabIndex = -1;
  heading.focus({ preventScroll: !isVisible });
}
