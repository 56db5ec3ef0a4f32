import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { pathSettings } from '../../src/contract/kinds/index.ts';
import { buildProgram } from '../../src/cli/program.ts';
import { entries } from '../../src/demo/entries/index.ts';
import { matchPath } from '../../src/demo/entries/request.ts';
import type { LedgerEntry } from '../../src/demo/ledger.ts';
import { encodeMovie } from '../../src/demo/media/movie.ts';
import { CliScene, deskWithService } from '../cli/support.ts';
import { aPicture } from '../support/billable-posts.ts';

const root = join(import.meta.dirname, '..', '..');
const page = readFileSync(join(root, 'docs', 'reference', 'service-coverage.md'), 'utf8');

/** The cells of the rows of one table of the page, by its heading; the first table has none. */
function rowsOf(heading: string): string[][] {
  const section = page.split(/^## /m).find((text) => text.startsWith(heading)) ?? '';
  const lines = section.split('\n').filter((line) => line.startsWith('| '));
  return lines.slice(1).map((line) => line.slice(2, -2).split(' | '));
}

const coded = (cell = ''): string[] => [...cell.matchAll(/`([^`]+)`/g)].map(([, text]) => text ?? '');
const testsIn = (cell = ''): string =>
  coded(cell)
    .filter((file) => file.startsWith('test/'))
    .map((file) => readFileSync(join(root, file), 'utf8'))
    .join('\n');
const asPattern = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);

/** `POST /v1/tasks`, and which of the requests there a line is about where it says more. */
const operations = rowsOf('# What').map(([name = '', , shown = '', , commands = '']) => {
  const [operation = ''] = coded(name);
  return { name, operation, of: name.split(', ')[1] ?? '', shown, commands: coded(commands) };
});

/** The models of the demo account by which those lines are told apart. */
const madeBy: Readonly<Record<string, string>> = {
  lyrics: 'lyrics-demo',
  'digital human audio': 'presenter-audio-demo',
  'digital human voice': 'presenter-voice-demo',
  'digital human avatar': 'presenter-avatar-demo',
};

interface Sent {
  readonly command: string;
  readonly operation: string;
  readonly entry: LedgerEntry;
}

const ofService = entries.filter(({ open }) => open !== true);
const operationOf = ({ method, path }: LedgerEntry): string => {
  const route = ofService.find((each) => each.method === method && matchPath(each.path, path));
  return `${method} ${(route?.path ?? path).replaceAll(/:(\w+)/g, '{$1}')}`;
};

/** One run of every kind and operation, every tool and every command of the library, as the demo service recorded it. */
async function everythingSent(): Promise<Sent[]> {
  const scene = await deskWithService({ asyncImages: { without: ['image-demo-pro'] } });
  const { service } = scene;
  const sent: Sent[] = [];
  const dailies = async (...args: string[]) => {
    const before = service.ledger.entries.length;
    expect(await scene.run(...args), `dailies ${args.join(' ')}\n${scene.said}`).toBe(0);
    for (const entry of service.ledger.entries.slice(before)) {
      if (entry.origin === 'api' && !entry.path.startsWith('/media/')) {
        sent.push({ command: `dailies ${args.join(' ')}`, operation: operationOf(entry), entry });
      }
    }
  };
  const list = (name: string, ...lines: string[]) => writeFileSync(scene.path(name), `${lines.join('\n')}\n`);
  for (const name of ['day.png', 'hand.png', 'lost.png']) {
    writeFileSync(scene.path(name), Buffer.concat([aPicture, Buffer.from(name)]));
  }
  const movie = { width: 16, height: 16, framesPerSecond: 12, count: 2, paint: () => undefined };
  writeFileSync(scene.path('walk.mp4'), await encodeMovie(movie));
  const { id: group } = service.assets.createGroup({ name: 'Made elsewhere', description: '', domain: 'media' });
  const lose = (path: string) =>
    service.faults.add({ match: { method: 'POST', path }, do: { fault: 'reset', commit: true } });

  await dailies('models');
  await dailies('run', join(root, 'resources', 'samples', 'every-kind.csv'), '--project', 'film');
  list(
    'buttons.csv',
    'shot,kind,prompt,operation,action_task,button',
    'J1,image,A harbour,imagine,,',
    'J2,image,,action,Shot://J1,U1',
  );
  lose('/jobimg/submit/imagine');
  await dailies('run', 'buttons.csv', '--project', 'film');
  await dailies('jobs', 'list', '--json');
  const pressed = scene.stdout.objects.find(({ shot }) => shot === 'J1');
  await dailies('takes', 'act', String(pressed?.['id']), '--button', 'U2');
  await dailies('resume');
  list(
    'groups.csv',
    'shot,model,prompt,first_frame,group',
    `V1,vgen-2.0-nt,A door,day.png,${group}`,
    'V2,vgen-2.0-nt,A door,lost.png,',
  );
  lose('/v1/assets/uploads');
  await dailies('run', 'groups.csv', '--project', 'film');

  await dailies('assets', 'group', 'create', 'Places');
  await dailies('assets', 'group', 'rename', 'Places', 'Harbours');
  await dailies('assets', 'upload', 'hand.png', '--as', 'voice', '--group', 'Harbours');
  await dailies('assets', 'upload', 'walk.mp4', '--as', 'video_reference', '--model', 'vgen-2.0-cl');
  await dailies('assets', 'add-url', 'https://media.example/face.png', '--as', 'first_frame');
  await dailies('assets', 'sync');

  await dailies('describe', 'day.png', '--with', 'typo');
  await dailies('describe', 'day.png', '--with', 'job');
  await dailies('research', 'search', 'harbour', '--json');
  const found = String(scene.stdout.objects[0]?.['url']);
  await dailies('research', 'read', found);
  await dailies('search', 'a storm', '--project', 'film', '--model', 'embed-demo', '--index');
  await dailies('prompts', 'rewrite', 'groups.csv', '--model', 'chat-demo', '--ask', 'Shorter', '--out', 'new.csv');

  await dailies('config', 'set', 'paths.musicSubmit', '/v1/music');
  await dailies('config', 'set', 'paths.musicTask', '/v1/music/{task_id}');
  list('songs.csv', 'shot,kind,model,prompt,tags', 'M1,music,music-demo,A slow cello,calm');
  await dailies('run', 'songs.csv', '--project', 'film');
  return sent;
}

describe('docs/reference/service-coverage.md', () => {
  it('has a line for each operation that the demo service answers', () => {
    const missing = ofService
      .map(({ method, path }) => `${method} ${path.replaceAll(/:(\w+)/g, '{$1}')}`)
      .filter((operation) => !page.includes(`| \`${operation}\` |`));
    expect(missing).toEqual([]);
  });

  it('says what a run of every kind, tool and command really sent, and nothing else', async () => {
    const sent = await everythingSent();

    const unlisted = sent.filter(({ operation }) => !operations.some((line) => line.operation === operation));
    expect([...new Set(unlisted.map(({ operation }) => operation))]).toEqual([]);
    const unproven = operations.flatMap(({ name, operation, of, commands }) => {
      const isIt = ({ entry: { body } }: Sent) => of === '' || (body as { model?: string }).model === madeBy[of];
      const here = sent.filter((each) => each.operation === operation && isIt(each));
      const bySome = commands.filter((command) => !here.some((each) => each.command.startsWith(command)));
      return here.length === 0 ? [name] : bySome.map((command) => `${name} by ${command}`);
    });
    expect(unproven).toEqual([]);

    const queries = rowsOf('Queries').map(([operation = '', names]) => [
      coded(operation)[0] ?? '',
      coded(names).sort(),
    ]);
    const queried = sent.filter(({ entry }) => entry.query !== '');
    const byOperation = Map.groupBy(queried, ({ operation }) => operation);
    const asked = [...byOperation].map(([operation, all]) => [
      operation,
      [...new Set(all.flatMap(({ entry }) => [...new URLSearchParams(entry.query).keys()]))].sort(),
    ]);
    expect(asked.sort()).toEqual(queries.sort());

    const uploads = sent.filter(({ operation }) => operation === 'POST /v1/assets/uploads');
    const purposes = uploads.flatMap(({ entry: { body } }) => {
      const { fields, purpose } = body as { fields?: { purpose?: string }; purpose?: string };
      return fields?.purpose ?? purpose ?? [];
    });
    const words = rowsOf('Statuses').find(([of]) => of === 'purposes of uploads')?.[1];
    expect([...new Set(purposes)].sort()).toEqual(coded(words).sort());
  });

  it('names tests that speak of the paths and words of their lines', () => {
    const paths = operations.filter(({ operation, shown }) => {
      const stem = operation.replace(/^\w+ /, '').split('{')[0] ?? '';
      return !new RegExp(`${asPattern(stem)}${stem.endsWith('/') ? '' : '(?![\\w/-])'}`).test(testsIn(shown));
    });
    expect(paths.map(({ name }) => name)).toEqual([]);
    const silent = rowsOf('Statuses').flatMap(([of = '', words, , shown]) =>
      coded(words)
        .filter((word) => !new RegExp(`\\b${word}\\b`).test(testsIn(shown)))
        .map((word) => `${of}: ${word}`),
    );
    expect(silent).toEqual([]);
  });

  it('names every path that is a setting', () => {
    expect(pathSettings.filter(({ name }) => !page.includes(`\`paths.${name}\``))).toEqual([]);
  });

  it('names no command that does not exist', async () => {
    const program = await buildProgram(() => () => Promise.resolve(), new CliScene().shell());
    const named = [...page.matchAll(/`dailies ([a-z -]+)`/g)].map(([, words]) => (words ?? '').split(' '));
    for (const words of named) {
      let command = program;
      for (const word of words) {
        const next = command.commands.find((each) => each.name() === word);
        expect(next, words.join(' ')).toBeDefined();
        command = next ?? command;
      }
    }
  });
});
