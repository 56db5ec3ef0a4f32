/**
 * The text without the characters at its end that match. Expressions like `/0+$/` take the square of a long run's time,
 * because each place in the run is tried as its beginning.
 *
 * @param character matches one character
 */
export function withoutEnd(text: string, character: RegExp): string {
  let end = text.length;
  while (end > 0 && character.test(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}

/** `007` is `7`; the last digit stays. */
export function withoutLeadingZeros(digits: string): string {
  return digits.replace(/^0+(?=\d)/, '');
}
