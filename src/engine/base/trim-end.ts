/**
 * The text without the characters at its end that match. A regular expression like `/0+$/` takes quadratic time for a
 * long run, because it tries each place in the run as the beginning.
 *
 * @param character matches one character
 */
export function withoutEnd(text: string, character: RegExp): string {
  let end = text.length;
  while (end > 0 && character.test(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}

/** `007` becomes `7`; the last digit stays. */
export function withoutLeadingZeros(digits: string): string {
  return digits.replace(/^0+(?=\d)/, '');
}
