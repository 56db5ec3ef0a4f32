/**
 * What comes before every path of the service, given the path of its address: `''` or `/prefix`. The address for other
 * client libraries ends in `/v1`, which our paths contain already. Pure.
 */
export function prefixOf(pathname: string): string {
  const parts = pathname.split('/');
  while (parts.at(-1) === '') parts.pop();
  if (parts.at(-1) === 'v1') parts.pop();
  return parts.join('/');
}
