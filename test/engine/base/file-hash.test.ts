import { createHash } from 'node:crypto';
import { appendFileSync, truncateSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { FileHash, sha256OfFile } from '../../../src/engine/base/file-hash.ts';
import { bytesOf, temporaryFolder } from '../downloads/support.ts';

const content = bytesOf(700_001);
const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

function fileOf(bytes: Uint8Array): string {
  const path = join(temporaryFolder(), 'film.mp4');
  writeFileSync(path, bytes);
  return path;
}

describe('the hash of a file that grows', () => {
  it('is that of all that was written when it is asked for', async () => {
    const path = fileOf(content.subarray(0, 10));
    const hash = new FileHash(path);
    for (let end = 10; end < content.length; end += 99_999) {
      hash.follow(end);
      appendFileSync(path, content.subarray(end, end + 99_999));
    }
    hash.follow(content.length);
    expect(await hash.digest()).toBe(sha256(content));
  });

  it('leaves out links and what it was not asked to hash', async () => {
    const hash = new FileHash(fileOf(content));
    hash.follow(300_000);
    expect(await hash.digest()).toBe(sha256(content.subarray(0, 300_000)));
  });

  it('of no bytes is that of an empty file', async () => {
    expect(await new FileHash(fileOf(content)).digest()).toBe(sha256(Buffer.alloc(0)));
  });

  it('of one file does not mix with that of another', async () => {
    const others = [1, 2, 3, 4].map((seed) => bytesOf(600_000, seed));
    const hashes = await Promise.all(others.map((bytes) => sha256OfFile(fileOf(bytes), bytes.length)));
    expect(hashes).toEqual(others.map(sha256));
  });
});

describe('the hash of a file that cannot be read', () => {
  it('says that the file is shorter than what was written', async () => {
    const path = fileOf(content);
    truncateSync(path, 5);
    await expect(sha256OfFile(path, content.length)).rejects.toThrow('became shorter');
  });

  it('keeps the code of the system', async () => {
    await expect(sha256OfFile(join(temporaryFolder(), 'none'), 1)).rejects.toMatchObject({ code: 'ENOENT' });
  });
});

describe('the hash of a file that is not wanted any more', () => {
  it('is still given or refused, so that no caller waits forever', async () => {
    const handle = await open(fileOf(content));
    const hash = new FileHash(handle.fd);
    hash.follow(content.length);
    const digest = hash.digest().catch((error: unknown) => (error as Error).message);
    await hash.close();
    await handle.close();
    expect([sha256(content), 'The hash was closed before it was complete.']).toContain(await digest);
  });

  it('may be closed twice, and after it was told', async () => {
    const hash = new FileHash(fileOf(content));
    hash.follow(1);
    await hash.digest();
    await hash.close();
    await hash.close();
  });

  it('ends with the reason of a signal', async () => {
    const stopped = AbortSignal.abort(new Error('Stopping.'));
    await expect(sha256OfFile(fileOf(content), content.length, stopped)).rejects.toThrow('Stopping.');
  });
});
