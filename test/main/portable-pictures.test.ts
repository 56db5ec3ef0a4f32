import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { noGlib, runBesideGlib, systemGlib } from '../support/beside-glib.ts';

const source = (path: string): string => JSON.stringify(new URL(`../../src/${path}`, import.meta.url).href);

describe('pictures in the process of the engine', () => {
  const folder = mkdtempSync(join(tmpdir(), 'dailies-pictures-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('are looked into and made small beside the GLib that Electron loads on Linux @night', ({ skip }) => {
    skip(systemGlib === null, noGlib);
    const { said, complaints } = runBesideGlib(`
      import { open, writeFile } from 'node:fs/promises';
      import { usePortableSharp } from ${source('main/engine-host.ts')};
      import { factsOfFile } from ${source('engine/library/media-facts.ts')};
      import { Thumbs } from ${source('server/media/thumbs.ts')};
      usePortableSharp();
      const { default: sharp } = await import('sharp');
      const file = ${JSON.stringify(join(folder, 'picture'))};
      const logger = { warn: (...words) => process.stderr.write('Error: ' + JSON.stringify(words)) };
      const thumbs = new Thumbs(${JSON.stringify(join(folder, 'thumbs'))}, { clock: { now: () => 0 }, logger });
      const seen = [];
      for (const [index, format] of ['png', 'jpeg', 'webp', 'gif'].entries()) {
        const picture = sharp({ create: { width: 480, height: 270, channels: 3, background: '#2266aa' } });
        await writeFile(file, await picture.toFormat(format).toBuffer());
        const { width, height } = await factsOfFile(file);
        const small = await thumbs.of(String(index).repeat(64), 320, async () => ({ handle: await open(file) }));
        const { data, info } = await sharp(small).raw().toBuffer({ resolveWithObject: true });
        seen.push({ width, height, small: [info.width, info.height], blue: Math.abs(data[2] - 0xaa) < 4 });
      }
      console.log(JSON.stringify({ isPortable: 'emscripten' in sharp.versions, seen }));
    `);
    const right = { width: 480, height: 270, small: [320, 180], blue: true };
    expect(said).toEqual({ isPortable: true, seen: [right, right, right, right] });
    expect(complaints).toEqual([]);
  });

  it('are no matter of its start', () => {
    const { said } = runBesideGlib(`
      import { registerHooks } from 'node:module';
      const named = [];
      registerHooks({ resolve: (specifier, context, next) => (named.push(specifier), next(specifier, context)) });
      await import(${source('host/process-environment.ts')});
      await import(${source('main/engine-host.ts')});
      console.log(JSON.stringify({ isWhole: named.length > 100, sharp: named.includes('sharp') }));
    `);
    expect(said).toEqual({ isWhole: true, sharp: false });
  });
});
