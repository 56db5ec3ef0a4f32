/**
 * Keys belong to the input method while it composes a word: Enter takes a word and Escape drops it, and neither may send,
 * close or move anything. No handler of the window gets them, those of libraries included; the browser does its own part.
 */
export function blockCompositionKeys(target: Window): void {
  // Captured on the window: no other listener gets the key first.
  target.addEventListener('keydown', (event) => isOfComposition(event) && event.stopImmediatePropagation(), {
    capture: true,
  });
}

/**
 * Code 229 is a key that the input method took: the one that begins a word, and in some browsers the one that ended it.
 * Outside of text fields it passes: the grid opens its editor for it.
 */
const isOfComposition = ({ isComposing, keyCode, target }: KeyboardEvent): boolean =>
  isComposing || (keyCode === 229 && target instanceof Element && target.matches('input, textarea'));
