import { expect } from '@playwright/test';
import { columnsFor } from '../../../src/contract/kinds/index.ts';
import { t, sayText } from '../../../src/contract/messages/words.ts';
import { anyCount, chooseList, csvFile, goTo, openProject, saying, startBatch } from '../../e2e/support/window.ts';
import type { Scene } from '../stage.ts';

const header = ['shot', 'kind', 'model', 'prompt', 'takes', 'duration', 'aspect_ratio', 'size', 'scene', 'notes'];

const duration = columnsFor('video').find(({ name }) => name === 'duration');

const prompts = [
  'Dawn over a small fishing harbour, fog lifting off still water, slow push in from the sea, 35 mm',
  'The keeper, seen from behind, rows out alone; oars break the mirror of the water',
  'Gulls wheel around the mast of a passing trawler, handheld, the camera loses and finds them again',
  'The lighthouse rises out of the fog, tiny at first; the boat drifts towards it, no cut',
  'Boots on wet granite steps, each step a little slower, close-up, shallow focus',
  'Brass and glass: a hand wipes the great lens clean, light splits into colours on the wall',
  'Dusk through the lantern panes, the first star, the mechanism begins to turn',
  'A wave breaks over the rocks in slow motion, the beam sweeps through the spray',
  'Calm sea, wide; the lamp goes out, and the keeper closes the shutters one by one',
  'مشهد طويل للبحر عند الفجر، الضباب يرتفع ببطء عن الماء',
];

const rows = (count: number): string[][] =>
  Array.from({ length: count }, (_none, index) => [
    String((index + 1) * 10).padStart(3, '0'),
    'video',
    index % 3 === 2 ? 'vgen-2.0-nt' : 'vgen-2.0-cl-fast',
    prompts[index % prompts.length] ?? '',
    index % 4 === 0 ? '2' : '',
    String(4 + (index % 3)),
    '16:9',
    '480p',
    ['Harbour', 'Crossing', 'Island', 'Lantern room'][index % 4] ?? '',
    index === 0 ? 'Opening shot: two takes to choose from' : '',
  ]);

function withDefects(): string[][] {
  const list = rows(40);
  const corrupt = (row: number, column: string, value: string): void => {
    const cells = list[row];
    if (cells) cells[header.indexOf(column)] = value;
  };
  corrupt(1, 'duration', 'long');
  corrupt(2, 'model', 'vgen-9');
  corrupt(3, 'prompt', '');
  corrupt(5, 'kind', 'film noir');
  corrupt(7, 'takes', '0');
  corrupt(9, 'size', '8k');
  corrupt(11, 'shot', '010');
  return list;
}

async function defects({ page, camera }: Parameters<Scene['play']>[0]): Promise<void> {
  const grid = await chooseList(page, csvFile('keeper-draft.csv', [header, ...withDefects()]));
  await page.getByRole('button', { name: saying('batch.errors', { count: anyCount }) }).waitFor();
  await page.keyboard.press('F8');
  await camera.keep('batch');
  await camera.take('batch-draft-defects');
  await page.getByRole('button', { name: t('list.defects'), exact: true }).click();
  await camera.take('batch-defects-pane');
  await page.getByRole('button', { name: t('list.columns'), exact: true }).click();
  await camera.take('batch-columns-pane');
  await page.getByRole('button', { name: t('list.columns'), exact: true }).click();
  await grid.focus();
  await page.keyboard.press('Home');
  for (let step = 0; step < 2; step += 1) await page.keyboard.press('ArrowRight');
  await page.keyboard.press('Control+i');
  await page.getByRole('group', { name: t('list.rowForm') }).waitFor();
  await camera.take('batch-row-form');
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: t('common.row'), exact: true }).click();
  await page.getByRole('group', { name: t('list.rowForm') }).waitFor({ state: 'detached' });
  await grid.focus();
  await page.keyboard.press('F2');
  await camera.take('batch-cell-choices');
  await page.keyboard.press('Escape');
  await page.keyboard.press('Shift+ArrowRight');
  await page.keyboard.press('Shift+ArrowDown');
  await page.keyboard.press('Shift+ArrowDown');
  await camera.take('batch-selection');
  await page.keyboard.press('Control+f');
  await page.getByRole('textbox', { name: t('list.find') }).fill('nowhere');
  await page.keyboard.press('Enter');
  await camera.take('batch-find');
  await page.keyboard.press('Control+h');
  await page.getByRole('textbox', { name: t('list.find'), exact: true }).fill('lighthouse');
  await page.getByRole('textbox', { name: t('list.replaceWith') }).fill('beacon');
  await camera.take('batch-replace');
  await page.keyboard.press('Escape');
  await page.getByRole('combobox', { name: t('common.groups') }).click();
  await page.getByRole('option', { name: t('review.groupByColumn', { column: 'scene' }) }).click();
  await camera.take('batch-groups');
  await grid.getByRole('gridcell', { name: /^Harbour \d/ }).click();
  await page.keyboard.press('PageDown');
  await page.keyboard.press('PageDown');
  await camera.take('batch-groups-selected');
  await page.getByRole('button', { name: t('common.allBatches') }).click();
}

async function started({ page, camera, app }: Parameters<Scene['play']>[0]): Promise<void> {
  await chooseList(page, csvFile('keeper.csv', [header, ...rows(24)]));
  await expect(page.getByRole('button', { name: t('start.start') })).toBeEnabled();
  await camera.take('batch-draft');
  await page.getByRole('button', { name: t('start.start') }).click();
  await page.getByRole('dialog').waitFor();
  await camera.take('batch-start');
  await page.keyboard.press('Escape');
  app.service.faults.add({ match: { method: 'POST', prompt: 'trawler' }, do: { fault: 'status', status: 400 } });
  app.service.faults.add({ match: { method: 'POST', prompt: 'Boots' }, do: { fault: 'reset', commit: true } });
  // However slow this machine is, some are still under way when the pictures are taken.
  const long = { fault: 'outcome', takesMs: 3_600_000 } as const;
  app.service.faults.add({ match: { method: 'POST', nth: 16, times: 'always' }, do: long });
  await startBatch(page);
  await page
    .getByRole('button', { name: saying('common.standingCount', { standing: 'saved', count: anyCount }) })
    .waitFor({ timeout: 60_000 });
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowDown');
  await camera.take('batch-running');
  await page.getByRole('button', { name: t('common.allBatches') }).click();
  await camera.take('batch-home');
}

/** A shot list from the first look to takes that come in. */
export const batchScene: Scene = {
  name: 'batch',
  service: { speed: { videoMs: 6000, jitter: 0.5 } },
  play: async (stage) => {
    const { app, page, camera } = stage;
    await app.open();
    await openProject(app, page, 'The Keeper');
    await goTo(page, t('place.batch'));
    await page.getByRole('button', { name: t('batch.pasteList') }).click();
    await camera.take('batch-paste');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: t('batch.describeShot') }).click();
    await page.getByRole('dialog').waitFor();
    await camera.take('batch-describe');
    await page.getByLabel(sayText(duration?.label ?? '')).fill('99');
    await page.getByRole('button', { name: t('batch.queueShot') }).click();
    await page.getByRole('alert').first().waitFor();
    await camera.take('batch-describe-defects');
    await page.keyboard.press('Escape');
    await defects(stage);
    await started(stage);
  },
};
