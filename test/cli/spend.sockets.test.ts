import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { startEngine } from '../../src/engine/engine.ts';
import { changeSetting } from '../../src/host/settings-file.ts';
import { isSubmitBegun } from '../support/world.ts';
import { deskWithService, deskWithTakes } from './support.ts';

const LIST = `shot,kind,model,prompt\n${[1, 2, 3, 4].map((shot) => `0${String(shot)}0,image,image-demo,Red door ${String(shot)}\n`).join('')}`;
const PRICES = '[{"model":"image-demo","per":"take","price":2.5}]';

async function deskWithPrices() {
  const scene = await deskWithService();
  writeFileSync(scene.path('night.csv'), LIST);
  await scene.run('config', 'set', 'prices', PRICES);
  await scene.run('config', 'set', 'currency', 'USD');
  return scene;
}

describe('dailies run --max-spend', () => {
  it('ends with 5 at the cap, goes on when it is raised, and never sends more than it allows', async () => {
    const scene = await deskWithPrices();
    expect(await scene.run('run', 'night.csv', '--project', 'film', '--max-spend', '6')).toBe(5);
    expect(scene.said).toContain('The cap of batch “night” is reached: 6.00 USD. Raise it to send the rest.');
    expect(scene.service.ledger.commits).toBe(2);
    expect(await scene.run('resume')).toBe(5);
    expect(scene.service.ledger.commits).toBe(2);
    expect(await scene.run('cap', '--project', 'film', '--batch', 'night', '--max-spend', '10')).toBe(0);
    expect(scene.said).toContain('Cap of batch “night”: 5.00 USD of 10.00 USD used (50%).');
    expect(await scene.run('resume')).toBe(0);
    expect(scene.service.ledger.commits).toBe(4);
  });

  it('counts by the prices that another command sets while it runs, from the next request on', async () => {
    const scene = await deskWithPrices();
    await scene.run('config', 'set', 'concurrency.submit', '1');
    await scene.run('config', 'set', 'prices', PRICES.replace('2.5', '1'));
    let isSet = false;
    scene.parts = {
      startEngine: async (options) => {
        const engine = await startEngine(options);
        engine.subscribe((event) => {
          if (!isSubmitBegun(event) || isSet) return;
          // As `dailies config set` does in another terminal.
          isSet = true;
          changeSetting(scene.dataFolder, 'prices', PRICES.replace('2.5', '5'));
        });
        return engine;
      },
    };
    expect(await scene.run('run', 'night.csv', '--project', 'film', '--max-spend', '10')).toBe(5);
    expect(isSet).toBe(true);
    expect(scene.service.ledger.commits).toBe(2);
  });

  it('is refused before anything is stored while a model has no price', async () => {
    const scene = await deskWithService();
    writeFileSync(scene.path('night.csv'), LIST);
    expect(await scene.run('run', 'night.csv', '--project', 'film', '--max-spend', '6')).toBe(2);
    expect(scene.stderr.text).toContain('these models have none: image-demo');
    expect(scene.service.ledger.commits).toBe(0);
  });

  it('says once that most of a cap is used', async () => {
    const scene = await deskWithPrices();
    expect(await scene.run('run', 'night.csv', '--project', 'film', '--max-takes', '3')).toBe(5);
    expect(scene.said.match(/Cap of batch “night”: \d of 3 takes used/g)).toHaveLength(1);
  });
});

it('dailies spend adds up what was charged, says how much of a cap is used, and writes every request to a file', async () => {
  const scene = await deskWithPrices();
  await scene.run('run', 'night.csv', '--project', 'film');
  await scene.run('cap', '--max-takes', '8');
  scene.stdout.text = '';
  expect(await scene.run('spend', '--by', 'batch')).toBe(0);
  expect(scene.said).toMatch(/^batch +requests +charged +maybe charged +without a price\nnight +4 +10\.00 USD +0$/m);
  expect(scene.said).toContain('Cap of this night: 4 of 8 takes used (50%).');
  expect(await scene.run('spend', '--csv', 'spent.csv')).toBe(0);
  const lines = readFileSync(scene.path('spent.csv'), 'utf8').replace('\uFEFF', '').trimEnd().split('\r\n');
  expect(lines).toHaveLength(5);
  // Both are sent in the same moment, in either order.
  expect(lines.find((line) => line.includes(',010,'))).toMatch(
    /^\d{4}-.+Z,settled,film,night,010,1,,image-demo,2\.5,USD,/,
  );
  expect(await scene.run('spend', '--csv', 'spent.csv')).toBe(2);
});

describe('dailies stats', () => {
  it('says how many takes were saved and what they cost, writes a table, and names what a figure has no base for', async () => {
    const scene = await deskWithPrices();
    expect(await scene.says('stats')).toContain('Nothing was sent.');
    await scene.run('run', 'night.csv', '--project', 'film');
    expect(await scene.lists('stats', '--project', 'film', '--by', 'day')).toMatchObject([
      { type: 'statistics', model: 'image-demo', requests: 4, saved: 4, successRate: 1, pricePerTake: 2.5, picked: 0 },
      { type: 'statistics_total', requests: 4, charged: 10, pricePerPickedSecond: null, currency: 'USD' },
    ]);
    expect(await scene.says('stats', '--since', '1h')).toMatch(/image-demo +4 +4 +100%.*2\.50 USD +0\.00 +–/);
    expect(await scene.run('stats', '--since', 'soon')).toBe(2);
    expect(await scene.run('stats', '--csv', 'stats.csv')).toBe(0);
    expect(readFileSync(scene.path('stats.csv'), 'utf8').split('\r\n')[1]).toMatch(/,image-demo,4,4,0,0,1\.000,/);
    expect(await scene.run('stats', '--csv', 'stats.csv')).toBe(2);
  });

  it('says so where there are no prices', async () => {
    const scene = await deskWithTakes(LIST);
    expect(await scene.says('stats')).toMatch(/image-demo +4 +4 +100%.* – +0\.00 +–/);
    expect(scene.said).toContain('No prices');
  });
});
