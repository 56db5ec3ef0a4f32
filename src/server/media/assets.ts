import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { open, realpath, type FileHandle } from 'node:fs/promises';
import { basename } from 'node:path';
import type { LocalMedia } from '../../contract/asset.ts';
import { contentTypeFor } from '../../engine/api/request-parts.ts';
import { DECODED } from '../../engine/base/pictures.ts';
import type { ServedFile } from './served-file.ts';

/** Types that a browser may show. Everything else, SVG with its scripts above all, is only offered for saving. */
const SHOWN =
  /^(image\/(png|jpeg|webp|gif|avif|bmp|tiff)|video\/(mp4|webm|quicktime)|audio\/(mpeg|wav|x-wav|flac|ogg|mp4|aac))$/;

/** Opens the local file an asset was made of, at the first of its places that still holds as many bytes. */
export async function openAssetFile({ sha256, bytes, paths, contentType }: LocalMedia): Promise<ServedFile | null> {
  for (const path of paths) {
    const real = await realpath(path).catch(() => null);
    const opened = real === null ? null : await openRegularFile(real);
    if (!opened) continue;
    if (opened.size === bytes) {
      const type = contentType !== undefined && SHOWN.test(contentType) ? contentType : 'application/octet-stream';
      return { ...opened, expected: { bytes, sha256 }, contentType: type, name: basename(path) };
    }
    await opened.handle.close();
  }
  return null;
}

/**
 * Opens a picture that a list names, by its real path; null where there is none. It is known by its place, its length and
 * its times, so that one that was drawn before is not read again.
 */
export async function openListedPicture(path: string): Promise<ServedFile | null> {
  const opened = await openRegularFile(path);
  if (!opened) return null;
  const { handle, size } = opened;
  const contentType = await contentTypeFor(handle).catch(() => null);
  if (contentType === null || !DECODED.has(contentType)) {
    await handle.close();
    return null;
  }
  const { mtimeMs, ctimeMs, ino } = await handle.stat();
  const sha256 = createHash('sha256').update([path, size, mtimeMs, ctimeMs, ino].join('\0')).digest('hex');
  return { ...opened, expected: { bytes: size, sha256 }, contentType, name: basename(path) };
}

/** Opens a regular file that is no link. The caller closes the handle. */
async function openRegularFile(path: string): Promise<Pick<ServedFile, 'handle' | 'size'> | null> {
  let handle: FileHandle | null = null;
  try {
    // No link takes its place between looking and opening, and no pipe keeps us waiting for a writer.
    handle = await open(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
    const facts = await handle.stat();
    if (facts.isFile()) return { handle, size: facts.size };
  } catch {
    // Gone, or not readable for us: either way there is no such file.
  }
  await handle?.close();
  return null;
}
