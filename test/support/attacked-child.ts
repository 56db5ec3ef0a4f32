import { sayText } from '../../src/contract/messages/words.ts';
import { toText } from '../../src/engine/base/errors.ts';
import { shot } from '../engine/db/seed.ts';
import type { Attack, Attacked } from './attacked.ts';
import './saying.ts';
import { clippingsFor } from '../../src/engine/tools/research/pictures.ts';
import { watchTurns } from './turns.ts';
import { World } from './world.ts';

/** Meets an attack as the engine of a person who has a project of their own; see `underAttack`. */
const attack = JSON.parse(process.argv[2] ?? '') as Attack;
const world = await World.open();
const turns = watchTurns();
await world.run([shot(1)]);

const met: Attacked['met'] = [];
for (const path of attack.projects ?? []) {
  try {
    const { id, problems } = await world.engine.projects.open(path);
    const drafts = (await world.engine.drafts.list(id)).length;
    const { clippings } = await clippingsFor(path, 1000);
    met.push({ said: problems.map(sayText), drafts, clippings: clippings.length });
  } catch (error) {
    met.push({ said: [sayText(toText(error))], drafts: 0, clippings: 0 });
  }
}
const { id } = await world.engine.projects.open(world.projectPath);
for (const path of attack.lists ?? []) {
  try {
    const draft = await world.engine.drafts.open(id, { type: 'path', path }, {});
    const { defects } = await world.engine.drafts.defects(draft.id);
    met.push({ said: defects.map(({ problem }) => sayText(problem)), drafts: 1, clippings: 0 });
    await world.engine.drafts.discard(draft.id);
  } catch (error) {
    met.push({ said: [sayText(toText(error))], drafts: 0, clippings: 0 });
  }
}

await world.run([shot(1), shot(2)]);
await world.restart();
await world.settle();
const { longestMs } = turns.stop();
const { saved } = world.counts();
const own = world.jobs().filter((job) => job.projectId === id && job.state === 'saved').length;
const attacked: Attacked = { met, own, saved, peakMb: process.resourceUsage().maxRSS / 1000, longestMs };
await world.close();
process.stdout.write(JSON.stringify(attacked));
