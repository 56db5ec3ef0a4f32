/** The scheme of our own pages. It leads to this program and nowhere else. */
export const SCHEME = 'dailies';

/** The one origin whose pages may do anything. */
export const ORIGIN = `${SCHEME}://app`;

/** Whether an address is of our own origin, as a parser sees it. */
export function isOurs(address: string): boolean {
  const url = URL.parse(address);
  // Not `origin`: outside of Chromium it is "null" for schemes of one's own.
  return (
    url !== null && url.protocol === `${SCHEME}:` && url.host === 'app' && url.username === '' && url.password === ''
  );
}
