import { posix, win32 } from 'node:path';
import type { KitFile, KitPlace } from './kit.ts';

/** A name in an address: each character that a program may read otherwise is written as `%XX`. Pure. */
export const encodeName = (name: string): string =>
  encodeURIComponent(name.toWellFormed()).replace(
    /[!'()*~]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );

/** From the folder of the kit. Pure. */
export const relativeUrl = ({ name }: Pick<KitFile, 'name'>): string => `media/${encodeName(name)}`;

/**
 * `file:///C:/Kit/media/a.mp4`. With `localhost`, as the XML of Final Cut 7 has it: `file://localhost/C%3a/Kit/…`. A
 * folder of a server is `file://server/share/…` in both. Pure.
 */
export function fileUrl({ name }: Pick<KitFile, 'name'>, place: KitPlace, { localhost = false } = {}): string {
  const segments = toSegments(place).map((segment, index) => {
    const isDrive = index === 0 && /^[a-z]:$/i.test(segment);
    if (!isDrive) return encodeName(segment);
    return localhost ? segment.replace(':', '%3a') : segment;
  });
  const path = [...segments, relativeUrl({ name })].join('/');
  if (isShare(place)) return `file://${path}`;
  return localhost ? `file://localhost/${path}` : `file:///${path}`;
}

const isShare = ({ folder, platform }: KitPlace): boolean => platform === 'win32' && /^[\\/]{2}/.test(folder);

function toSegments({ folder, platform }: KitPlace): string[] {
  const path = platform === 'win32' ? win32.normalize(folder).replaceAll('\\', '/') : posix.normalize(folder);
  return path.split('/').filter((segment) => segment !== '');
}
