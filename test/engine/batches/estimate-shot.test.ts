import { describe, expect, it } from 'vitest';
import { Settings } from '../../../src/contract/settings.ts';
import { estimateShot } from '../../../src/engine/batches/estimate-shot.ts';

const settings = Settings.parse({
  currency: 'EUR',
  prices: [{ model: 'vgen-2.0-nt', per: 'second', price: 0.5 }],
});
const film = { kind: 'video', model: 'vgen-2.0-nt', prompt: 'A pier', duration: '5' };

describe('what a described shot would come to', () => {
  it('is told of all its takes', async () => {
    expect(await estimateShot({ ...film, takes: '3' }, '/', settings)).toMatchObject({
      newTakes: 3,
      price: 7.5,
      currency: 'EUR',
      lines: [{ seconds: 15 }],
    });
  });

  it('is not told before there is such a shot', async () => {
    expect(await estimateShot({ ...film, model: '' }, '/', settings)).toBeNull();
    expect(await estimateShot({ ...film, takes: 'many' }, '/', settings)).toBeNull();
    expect(await estimateShot({ ...film, duration: '400' }, '/', settings)).toBeNull();
  });
});
