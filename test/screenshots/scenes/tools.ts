import { t } from '../../../src/contract/messages/words.ts';
import type { App } from '../../e2e/support/app.ts';
import { chooseList, csvFile, goTo, openProject } from '../../e2e/support/window.ts';
import type { Scene } from '../stage.ts';

const prompts = [
  'Dawn over a small fishing harbour, fog lifting off still water, slow push in from the sea, 35 mm',
  'Mara, seen from behind, rows out alone; oars break the mirror of the water',
  'Gulls wheel around the mast of a passing trawler, handheld, the camera loses and finds them again',
  'مشهد طويل للبحر عند الفجر، الضباب يرتفع ببطء عن الماء',
  'The lighthouse rises out of the fog, tiny at first; the boat drifts towards it, no cut',
];
const atNight = [
  'Night over a small fishing harbour, fog lying on black water under a half moon, slow push in from the sea, 35 mm',
  'Mara, seen from behind, rows out alone by lantern light; oars break the mirror of the water',
  'Gulls wheel around the lit mast of a passing trawler, handheld, the camera loses and finds them again',
  'مشهد طويل للبحر ليلاً، الضباب يرتفع ببطء عن الماء',
];

const script = `EXT. HARBOUR - DAWN

Fog lies on the water. MARA (50), in a yellow oilskin coat, loads a rowing boat. She looks at the lighthouse.

EXT. SEA - DAY

The boat, tiny. Gulls. A trawler passes without seeing her.`;

const shots = [
  { key: '010', prompt: 'Wide: a harbour in fog at dawn, still water, one rowing boat at the quay', duration: 6 },
  { key: '020', prompt: 'A woman of fifty in a yellow oilskin coat lifts a crate into the boat', duration: 4 },
  { key: '030', prompt: 'Close on her face, then her view: the lighthouse, tiny', duration: 5, notes: 'No dialogue' },
  { key: '040', prompt: 'From high above: the boat alone on a grey sea, gulls below the camera', duration: 8 },
];

/** What a text model answers to the next question. */
function answerNext(app: App, answer: object): void {
  const body = JSON.stringify({ choices: [{ message: { content: JSON.stringify(answer) } }] });
  app.service.faults.add({ match: { method: 'POST' }, do: { fault: 'not-json', body, commit: true } });
}
const rowsOf = (texts: readonly string[][]): object => ({
  rows: texts.map((prompts, index) => ({ id: index + 1, prompts })),
});

/** What models do with prompts and scripts, from the question to the proposal. */
export const toolsScene: Scene = {
  name: 'tools',
  play: async ({ app, page, camera }) => {
    await app.open();
    await openProject(app, page, 'The Keeper');
    await goTo(page, t('place.batch'));
    await page.getByRole('button', { name: t('tools.scriptToShots') }).waitFor();
    await page.keyboard.press('s');
    await page.getByRole('textbox', { name: t('tools.script') }).fill(script);
    await page.getByRole('combobox', { name: t('tools.textModel') }).fill('chat-demo');
    await page.getByText(t('tools.callsUnpriced', { count: 1 })).waitFor();
    await page.getByRole('textbox', { name: t('tools.instructions') }).focus();
    await camera.take('tools-script');
    answerNext(app, { shots });
    await page.keyboard.press('Enter');
    await page.getByRole('listbox', { name: t('tools.changes') }).waitFor();
    await page.keyboard.press('ArrowDown');
    await camera.take('tools-script-shots');
    await page.keyboard.press('Escape');
    await page.getByRole('list', { name: t('tools.openCalls') }).waitFor();
    await camera.take('tools-script-waits');

    const header = ['shot', 'kind', 'model', 'prompt', 'duration'];
    const rows = prompts.map((prompt, index) => [`0${String(index + 1)}0`, 'video', 'vgen-2.0-cl', prompt, '5']);
    const grid = await chooseList(page, csvFile('keeper.csv', [header, ...rows]));
    const ask = async (id: string, fill: () => Promise<void>) => {
      await grid.focus();
      await page.keyboard.press('ControlOrMeta+Home');
      for (let row = 1; row < prompts.length; row += 1) await page.keyboard.press('Shift+ArrowDown');
      await page.getByRole('button', { name: t('list.promptTools') }).click();
      if (id === t('tools.rewrite')) await camera.take('tools-menu');
      await page.getByRole('menuitem', { name: id }).click();
      await page.getByRole('dialog').waitFor();
      await fill();
      await page.getByText(t('tools.callsUnpriced', { count: 1 })).waitFor();
    };
    const send = () => page.getByRole('combobox', { name: t('tools.textModel') }).press('Enter');
    const rewrite = () =>
      page.getByRole('textbox', { name: t('tools.whatToChange') }).fill('Make it night. Keep the camera.');

    await ask(t('tools.rewrite'), rewrite);
    await camera.take('tools-ask');
    answerNext(app, rowsOf([...atNight.map((text) => [text]), []]));
    await send();
    await page.getByRole('listbox', { name: t('tools.changes') }).waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Space');
    await camera.take('tools-proposal');
    await page.getByRole('button', { name: t('tools.discard') }).click();

    await ask(t('tools.vary'), () => Promise.resolve());
    await camera.take('tools-vary');
    answerNext(
      app,
      rowsOf(prompts.map((text) => ['at dawn', 'at night', 'in rain'].map((when) => `${text}, ${when}`))),
    );
    await send();
    await page.getByRole('listbox', { name: t('tools.changes') }).waitFor();
    await camera.take('tools-vary-proposal');
    await page.getByRole('button', { name: t('tools.discard') }).click();

    await ask(t('tools.rewrite'), rewrite);
    answerNext(app, rowsOf(prompts.map((text) => [text])));
    await send();
    await page.getByText(t('tools.changesNothing')).waitFor();
    await camera.take('tools-empty');
    await page
      .getByRole('dialog')
      .getByRole('button', { name: t('common.close'), exact: true })
      .last()
      .click();

    await ask(t('tools.rewrite'), rewrite);
    app.service.faults.add({ match: { method: 'POST' }, do: { fault: 'reset', commit: true } });
    await send();
    await page.getByRole('alert').waitFor();
    await camera.take('tools-failed');
    await page
      .getByRole('dialog')
      .getByRole('button', { name: t('common.close'), exact: true })
      .last()
      .click();
    await page.getByRole('list', { name: t('tools.openCalls') }).waitFor();
    await camera.take('tools-unclear');

    await ask(t('tools.keepWording'), () => Promise.resolve());
    app.service.faults.add({ match: { method: 'POST' }, do: { fault: 'hang', commit: true } });
    await page.getByRole('textbox', { name: t('tools.character') }).fill('Mara');
    await page
      .getByRole('textbox', { name: t('tools.wording') })
      .fill('a woman of fifty in a yellow oilskin coat, grey braid');
    await send();
    await page.getByRole('button', { name: t('common.stop') }).waitFor();
    await camera.take('tools-progress');
    // It would wait for an answer that never comes.
    await app.kill();
  },
};
