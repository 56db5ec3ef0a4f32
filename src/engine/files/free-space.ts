import { statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { systemCode } from '../base/errors.ts';

/**
 * Bytes free for this user on the file system that holds `path`. For a path that does not exist yet, the nearest
 * existing parent counts.
 */
export async function freeBytes(path: string): Promise<number> {
  try {
    const { bavail, bsize } = await statfs(path, { bigint: true });
    return Number(bavail * bsize);
  } catch (error) {
    const parent = dirname(path);
    const absent = ['ENOENT', 'ENOTDIR'].includes(systemCode(error) ?? '');
    if (!absent || parent === path) throw error;
    return freeBytes(parent);
  }
}
