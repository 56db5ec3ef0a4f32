import type { Text } from '../../src/contract/messages/message.ts';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Served, type Api } from './support.ts';

let served: Served;
let browser: Api;

beforeAll(async () => {
  served = await Served.open();
  browser = await served.overHttp();
});

afterAll(() => served.close());

describe('a page in a browser', () => {
  it('names no file of this machine by its path: nothing is read, and nothing is sent', async () => {
    const path = join(served.world.folder, 'private.csv');
    writeFileSync(path, 'shot,kind,model,prompt\n1,image,image-demo,A secret\n');
    const { project } = await browser.projects.open({ path: served.world.projectPath });
    const list = { project: project.path, batch: 'b', listFolder: '/', source: 'b.csv', again: false, content: '' };
    const tries = [
      () => browser.library.uploadFiles({ paths: [path], target: { role: 'first_frame' } }),
      () => browser.drafts.open({ projectId: project.id, source: { type: 'path', path } }),
      () => browser.runs.start(list),
      () => browser.tools.describe({ picture: { path }, describer: 'typo' }),
    ];
    for (const attempt of tries) {
      await expect(attempt()).rejects.toMatchObject({
        code: 'REFUSED',
        data: { text: expect.saying('A browser cannot name files of this computer by their paths.') as Text },
      });
    }
    expect(served.world.service.ledger.received).toBe(0);
  });

  it('holds for browsers only, not for the app and commands', async () => {
    const path = join(served.world.folder, 'list.csv');
    writeFileSync(path, 'shot,kind,model,prompt\n1,image,image-demo,A pier\n');
    for (const api of [served.overPort(), await served.overSocket()]) {
      const { project } = await api.projects.open({ path: served.world.projectPath });
      const draft = await api.drafts.open({ projectId: project.id, source: { type: 'path', path } });
      expect(draft.rows).toBe(1);
    }
  });
});
