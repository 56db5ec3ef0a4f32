import { truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { MAX_INLINE_BYTES, UnusableFileError, withInlineFiles } from '../../../src/engine/api/request-parts.ts';
import { aPicture } from '../../support/billable-posts.ts';
import { folderOfSuite } from '../../support/folders.ts';

const folder = folderOfSuite();
beforeAll(async () => {
  await writeFile(join(folder, 'a.jpg'), aPicture);
  await writeFile(join(folder, 'words.png'), 'no picture');
  await writeFile(join(folder, 'large.png'), aPicture);
  await truncate(join(folder, 'large.png'), MAX_INLINE_BYTES + 1);
});

describe('pictures inside a JSON request', () => {
  it('stand in the list of their field, in order, with the type that their content has', async () => {
    const path = join(folder, 'a.jpg');
    const base64 = aPicture.toString('base64');
    const files = [
      { field: 'base64Array', path, as: 'data_url' as const },
      { field: 'base64Array', path, as: 'base64' as const },
    ];
    expect(await withInlineFiles({ prompt: 'p' }, files)).toEqual({
      prompt: 'p',
      base64Array: [`data:image/png;base64,${base64}`, base64],
    });
    expect(await withInlineFiles({ prompt: 'p' }, [])).toEqual({ prompt: 'p' });
  });

  it.each(['none.png', 'words.png', 'large.png'])('are not sent where one cannot be: %s', async (name) => {
    const files = [{ field: 'base64Array', path: join(folder, name), as: 'base64' as const }];
    await expect(withInlineFiles({}, files)).rejects.toThrow(UnusableFileError);
  });
});
