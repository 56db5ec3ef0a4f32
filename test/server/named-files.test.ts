import { isContractProcedure } from '@orpc/contract';
import { mkdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { contract } from '../../src/contract/procedures.ts';
import type { Text } from '../../src/contract/messages/message.ts';
import { asMedium } from '../engine/library/media.ts';
import { Served, type Api, asList, images } from './support.ts';

let served: Served;
let browser: Api;
/** A list of this machine. */
let path: string;
/** A picture in a folder that no list and no project is in, which nobody agreed to send. */
let secret: string;
let projectId: string;
let takeId: string;

beforeAll(async () => {
  served = await Served.open();
  browser = await served.overHttp();
  path = join(served.world.folder, 'list.csv');
  writeFileSync(path, 'shot,kind,model,prompt\n1,image,image-demo,A pier\n');
  secret = join(`${realpathSync(served.world.folder)}-ssh`, 'id.png');
  mkdirSync(dirname(secret));
  writeFileSync(secret, asMedium('id.png', 'a private picture'));
  projectId = await served.saveImages(1);
  takeId = served.world.jobs()[0]?.id ?? '';
});

afterAll(async () => {
  rmSync(dirname(secret), { recursive: true });
  await served.close();
});

const editOfSecret = () => ({ kind: 'image', model: 'image-demo', operation: 'edit', prompt: 'Dusk', image: secret });
const listToRun = () => ({
  ...{ project: served.world.projectPath, name: 'b', listFolder: '/', source: 'b.csv', again: false },
  ...asList(images(1)),
});

/** Fields that name a file by its path, whose procedures a page in a browser may not call with it. */
const notByBrowsers: Readonly<Record<string, (api: Api) => Promise<unknown>>> = {
  'cuts.addSound path': (api) => api.cuts.addSound({ projectId, path: secret }),
  'drafts.open source.path': (api) => api.drafts.open({ projectId, source: { type: 'path', path } }),
  'drafts.open source.paths': (api) => api.drafts.open({ projectId, source: { type: 'media', paths: [secret] } }),
  'runs.start project': (api) => api.runs.start(listToRun()),
  'runs.start listFolder': (api) => api.runs.start(listToRun()),
  'runs.start list.rows': (api) =>
    api.runs.start({ ...listToRun(), list: { kind: null, headers: ['shot'], rows: [['010']] } }),
  'runs.start rows': (api) => api.runs.start(listToRun()),
  'runs.start agreed': (api) => api.runs.start({ ...listToRun(), agreed: [secret] }),
  'library.uploadFiles paths': (api) => api.library.uploadFiles({ paths: [secret], target: { role: 'first_frame' } }),
  'tools.describe picture.path': (api) => api.tools.describe({ picture: { path: secret }, describer: 'typo' }),
};

/** Fields whose files a person must have agreed to, by any caller: refused at once, or before the take is sent. */
const onlyAgreed: Readonly<Record<string, (api: Api) => Promise<unknown>>> = {
  'batches.addShot cells': (api) => api.batches.addShot({ projectId, cells: editOfSecret() }),
  // A folder agrees to nothing: a plan lists files.
  'batches.addShot agreed': (api) =>
    api.batches.addShot({ projectId, cells: editOfSecret(), agreed: ['/', dirname(secret)] }),
  'drafts.start agreed': async (api) => {
    const cells = editOfSecret();
    const text = `${Object.keys(cells).join()}\n${Object.values(cells).join()}\n`;
    const { id } = await api.drafts.open({ projectId, source: { type: 'text', name: 'a', text } });
    return api.drafts.start({ draftId: id, name: 'Secret', again: false, agreed: ['/', dirname(secret)] });
  },
  'takes.more changes.cells': (api) =>
    api.takes.more({ ids: [takeId], how: 'final', changes: { cells: { operation: 'edit', image: secret } } }),
  'takes.another changes.cells': (api) => api.takes.another({ takeId, changes: { cells: editOfSecret() } }),
};

/** Fields that look as if they named a file, by the reason why nothing of one is read or sent by them. */
const others: Readonly<Record<string, readonly string[]>> = {
  'a person has chosen the folder, and no file in it leaves this machine': [
    ...['projects.open path', 'projects.relink path', 'projects.export folder', 'takes.export folder'],
    ...['cuts.export folder', 'cuts.reel folder'],
    ...['folders.list path', 'folders.create parent', 'desktop.pickFolder start'],
  ],
  'a start sends them, and asks then': [
    ...['drafts.estimate cells', 'takes.estimate changes.cells', 'takes.planMore changes.cells'],
    ...['drafts.edit edit.cells', 'drafts.edit edit.rows', 'promptLibrary.savePreset cells'],
  ],
  'a person has named the folder that takes of their studio may send from': ['studio.change roots'],
  'a yes or a no': ['settings.setKey allowFile'],
  'an address in the web, or its words': [
    ...[
      'library.addUrl url',
      'tools.readPage url',
      'clippings.picture url',
      'clippings.look url',
      'clippings.keep askedFor',
    ],
  ],
};

/** A path is as long as this at most. */
const PATH = 4096;
const SOUNDS_LIKE_FILES = /^(.*path|.*folder|.*file|parent|dir|agreed|cells|rows)s?$/i;

interface Shape {
  readonly maxLength?: number;
  readonly properties?: Readonly<Record<string, Shape>>;
  readonly items?: Shape;
  readonly additionalProperties?: Shape | boolean;
  readonly anyOf?: readonly Shape[];
  readonly oneOf?: readonly Shape[];
}

/** The fields of an input that are as long as a path may be, or have a name that speaks of files. */
function filesIn(shape: Shape, field = ''): string[] {
  const { maxLength, properties = {}, items, additionalProperties: values, anyOf = [], oneOf = [] } = shape;
  const name = field.slice(field.lastIndexOf('.') + 1);
  return [
    ...(maxLength === PATH || SOUNDS_LIKE_FILES.test(name) ? [field] : []),
    ...[...anyOf, ...oneOf, ...(items ? [items] : []), ...(typeof values === 'object' ? [values] : [])].flatMap(
      (part) => filesIn(part, field),
    ),
    ...Object.entries(properties).flatMap(([key, part]) => filesIn(part, field === '' ? key : `${field}.${key}`)),
  ];
}

function fieldsOfContract(): string[] {
  const fields = Object.entries(contract).flatMap(([noun, calls]: [string, object]) =>
    Object.entries(calls).flatMap(([name, procedure]: [string, unknown]) => {
      const schema = isContractProcedure(procedure) ? procedure['~orpc'].inputSchema : undefined;
      if (!(schema instanceof z.ZodType)) return [];
      return filesIn(z.toJSONSchema(schema, { io: 'input', reused: 'inline' }) as Shape).map(
        (field) => `${noun}.${name} ${field}`,
      );
    }),
  );
  // Settings hold addresses, names, and the folders that a choice begins in: nothing is read because of them.
  return [...new Set(fields)].filter((field) => !field.startsWith('settings.update '));
}

const inBrowser = { code: 'REFUSED', data: { code: 'only_in_the_app' } };

describe('an input that names a file', () => {
  it('is known for every procedure', () => {
    const known = [...Object.keys(notByBrowsers), ...Object.keys(onlyAgreed), ...Object.values(others).flat()];
    expect(fieldsOfContract().toSorted()).toEqual(known.toSorted());
  });

  it.each(Object.entries(notByBrowsers))('by %s is refused to a page in a browser', async (_field, call) => {
    const received = served.world.service.ledger.received;
    await expect(call(browser)).rejects.toMatchObject({
      ...inBrowser,
      data: {
        text: expect.saying(
          'A browser cannot open files of this computer by their paths. Choose the file in the window, or use the desktop app.',
        ) as Text,
      },
    });
    expect(served.world.service.ledger.received).toBe(received);
  });

  it.each(Object.entries(onlyAgreed))('by %s sends none that nobody agreed to', async (_field, call) => {
    const sent = () => [served.world.service.ledger.received, served.world.counts().saved];
    const before = sent();
    for (const api of [browser, served.overPort(), await served.overSocket()]) {
      await call(api).catch((error: unknown) => expect(error).toMatchObject({ data: { code: 'files_outside' } }));
      await served.world.settle();
    }
    expect(sent()).toEqual(before);
  });

  it('may be one of this machine for the app and commands', async () => {
    for (const api of [served.overPort(), await served.overSocket()]) {
      const draft = await api.drafts.open({ projectId, source: { type: 'path', path } });
      expect(draft.rows).toBe(1);
    }
  });
});
