import { beforeEach, describe, expect, it } from 'vitest';
import { images, Served, type Api } from './support.ts';

describe('what was spent', () => {
  let served: Served;
  let api: Api;

  beforeEach(async () => {
    const prices = [{ model: 'image-demo', per: 'take' as const, price: 2.5 }];
    served = await Served.open({ settings: { currency: 'USD', prices } });
    api = await served.overHttp();
    return () => served.close();
  });

  const csv = async (scope: Parameters<Api['spending']['csv']>[0]): Promise<string[]> => {
    const pieces: string[] = [];
    for await (const piece of await api.spending.csv(scope)) pieces.push(piece);
    return pieces.join('').trimEnd().split('\r\n');
  };

  it('is a table for a spreadsheet, of a project and of a time', async () => {
    const { from } = await api.spending.night();
    const projectId = await served.saveImages(2);
    const [heading, ...lines] = await csv({ projectId, from });
    expect(heading).toBe('\uFEFFat,state,project,batch,shot,take,tool,model,price,currency,told');
    expect(lines).toHaveLength(2);
    for (const line of lines) expect(line).toMatch(/^\d{4}-.+Z,settled,.+,Stills,000[12],1,,image-demo,2\.5,USD,$/);
    expect(await csv({ projectId: 'another' })).toEqual([heading]);
    expect(await csv({ from: from + 1000 * 24 * 60 * 60_000 })).toEqual([heading]);
  });

  it('is known of takes that a person decides about, with what sending them again costs', async () => {
    const { world } = served;
    for (const prompt of ['Still 1', 'Still 2'])
      world.fault({ method: 'POST', prompt }, { fault: 'reset', commit: true });
    await world.run(images(3), { name: 'Stills' });
    const unclear = world.jobs().filter(({ state }) => state === 'submit_unknown');
    const ids = unclear.map(({ id }) => id);
    const both = { requests: 2, price: 5, unpriced: 0 };
    expect(await api.takes.atStake({ ids })).toEqual({ currency: 'USD', first: both, again: both });
    const prices = [{ model: 'image-demo', per: 'take' as const, price: 0.002, from: '2100-01-01' }];
    await api.settings.update({ prices });
    await world.until('the new prices', () => world.engine.stores.ledger.totals({}).unclear.price === null);
    const unknown = { requests: 2, price: null, unpriced: 2 };
    expect(await api.takes.atStake({ ids })).toEqual({ currency: 'USD', first: unknown, again: unknown });
  });

  it('is counted from the noon at which the night began', async () => {
    const { from } = await api.spending.night();
    const noon = new Date(from);
    expect([noon.getHours(), noon.getMinutes(), noon.getSeconds()]).toEqual([12, 0, 0]);
    expect(from).toBeLessThanOrEqual(Date.now());
    await served.world.run(images(2), { name: 'Stills' });
    expect(await api.spending.totals({ from })).toMatchObject({ settled: { requests: 2, price: 5 } });
    const [night] = await api.spending.by({ by: 'night', from });
    expect(night).toMatchObject({ totals: { settled: { price: 5 } } });
    const shots = await api.spending.by({ by: 'shot', most: 1 });
    expect(shots).toMatchObject([{ totals: { settled: { requests: 1, price: 2.5 } } }]);
  });
});
