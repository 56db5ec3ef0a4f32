import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { columnsFor, csvTemplate, foldHeader, kindNamed, kindSpecs } from '../../src/contract/kinds/index.ts';
import { Kind } from '../../src/contract/kinds/kind.ts';
import { sayText, setLanguage } from '../../src/contract/messages/words.ts';
import { VideoReferences } from '../../src/engine/kinds/video/index.ts';

afterEach(() => setLanguage('en'));

describe.each(Kind.options)('the columns of %s', (kind) => {
  const columns = columnsFor(kind);

  it('have no header in common, neither by name nor by alias', () => {
    const headers = columns.flatMap(({ name, aliases }) => [name, ...aliases].map(foldHeader));
    expect(new Set(headers).size).toBe(headers.length);
  });

  it('each explain themselves in whole sentences', () => {
    for (const { label, help } of columns) {
      expect(label).saying(/^[A-Z]/);
      expect(help).saying(/^\S.*\.$/);
    }
  });

  it('are called in Chinese by a header that a list may have', async () => {
    await setLanguage('zh-CN');
    for (const { label, help, aliases } of columns) {
      expect(aliases).toContain(sayText(label));
      expect(help).saying(/^\S.*。$/);
    }
  });

  it('are three settings and some media in a form, before it is opened further', () => {
    const { atHand, parameters } = kindSpecs[kind];
    const shown = atHand.map((name) => parameters.find((parameter) => parameter.name === name));
    expect(shown).not.toContain(undefined);
    expect(shown.filter((parameter) => parameter && !('media' in parameter)).length).toBeLessThanOrEqual(3);
  });

  it('make the template', () => {
    const template = csvTemplate(kind);
    expect(template.endsWith('\r\n')).toBe(true);
    expect(template.trim().split(',')).toEqual(columns.map(({ name }) => name));
    expect(template).toMatch(/^shot,kind,model,prompt,takes,/);
  });
});

describe('the video spec', () => {
  const names = kindSpecs.video.parameters.map(({ name }) => name);

  it('has every column of the design', () => {
    expect(names).toEqual(
      expect.arrayContaining(
        'duration aspect_ratio size mode generate_audio watermark image first_frame last_frame reference_images video reference_videos audio references'.split(
          ' ',
        ),
      ),
    );
  });

  it('takes references whose role fits their type, and no others', () => {
    const reference = { media_type: 'image', role: 'first_frame', url: 'https://a.example/1.png', alias: 'hero' };
    expect(VideoReferences.safeParse([reference]).success).toBe(true);
    expect(VideoReferences.safeParse([{ ...reference, role: 'reference_audio' }]).success).toBe(false);
    expect(VideoReferences.safeParse([{ ...reference, extra: 1 }]).success).toBe(false);
    expect(VideoReferences.safeParse([]).success).toBe(false);
  });
});

it('the prompt is demanded for edits alone, and missed where nothing else says what to make', () => {
  expect(kindSpecs.image.prompt({ operation: 'edit' })).toBe('required');
  expect(kindSpecs.image.prompt({ operation: 'variation' })).toBe('optional');
  expect(kindSpecs.image.prompt({})).toBe('usual');
  expect(kindSpecs.music.prompt({ lyrics: 'la' })).toBe('optional');
  expect(kindSpecs.music.prompt({})).toBe('usual');
  expect(kindSpecs.video.prompt({ first_frame: 'Asset://1' })).toBe('optional');
  expect(kindSpecs.video.prompt({})).toBe('usual');
});

describe('folding a header', () => {
  it('leaves out case, spaces, dashes, underscores and invisible characters', () => {
    for (const written of [
      'Aspect Ratio',
      'aspect-ratio',
      'ASPECT_RATIO',
      ' aspect\u00a0ratio\ufeff',
      'aspect–ratio',
    ]) {
      expect(foldHeader(written)).toBe('aspectratio');
    }
  });

  it('is the same when done twice, and blind to what it leaves out', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        const folded = foldHeader(text);
        expect(foldHeader(folded)).toBe(folded);
        expect(foldHeader(` ${text}_-`)).toBe(folded);
      }),
    );
  });
});

describe('the kind a cell names', () => {
  it.each([
    ['Video', 'video'],
    ['CLIP', 'video'],
    ['Still', 'image'],
    ['song', 'music'],
    ['视频', 'video'],
    ['图像', 'image'],
    ['图片', 'image'],
    ['音乐', 'music'],
    ['文本', 'text'],
    ['语音', 'speech'],
    ['数字人', 'presenter'],
    ['hologram', null],
    ['', null],
  ])('%j is %s, in any language', async (text, kind) => {
    expect(kindNamed(text)).toBe(kind);
    await setLanguage('zh-CN');
    expect(kindNamed(text)).toBe(kind);
  });

  it('may be what the kind is called in Chinese', async () => {
    await setLanguage('zh-CN');
    for (const kind of Kind.options) expect(kindNamed(sayText(kindSpecs[kind].label))).toBe(kind);
  });
});
