/** What is wrong with a service address, in one sentence; null when nothing is. The engine has the last word. */
export function problemOfAddress(text: string): string | null {
  if (text.trim() === '') return null;
  const url = URL.parse(text.trim());
  if (url === null || !['http:', 'https:'].includes(url.protocol)) {
    return 'Enter the whole address, beginning with https://';
  }
  if (url.username !== '' || url.password !== '') return 'Leave out user and password: the key is entered below.';
  if (url.search !== '' || url.hash !== '') return 'Leave out everything from “?” or “#” on.';
  return null;
}
