import { execFile } from 'node:child_process';
import { mkdirSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Settings } from '../../src/contract/settings.ts';
import type { Engine } from '../../src/engine/engine.ts';
import { startEngine } from '../../src/engine/engine.ts';
import { findingsOf } from '../finding.ts';
import { inTurnsBy, timed, timedWithCpu, type ManySided } from '../measure.ts';
import { benchPorts } from '../ports.ts';
import type { MeasureRow } from '../row.ts';
import { startServer } from '../start-server.ts';

const MB = 1000 ** 2;
const BYTES = 256 * MB;
/** The file grows by so much between two rounds: then nobody has seen its size, so that it may be hashed as it is sent. */
const GROWTH = 4096;

type Figure = 'speed' | 'cpu';
const figures = ['speed', 'cpu'] as const;

/**
 * One file of 256 MB into the library: its intent committed, hashed (SHA-256) on its way out, its asset and its content
 * kept. `curl -F` sends the same file and keeps nothing; the second peer hashes it first, as a client that hashes
 * before sending has to. Processor time is that of each client: of this process, and of what the shell ran.
 */
export const measure: MeasureRow = async ({ rounds, folder }) => {
  const server = await startServer();
  const path = join(folder, 'walk.mp4');
  const film = Buffer.alloc(BYTES, 'a frame of a film; ');
  // Uploads check the beginning of a file.
  film.write('\0\0\0\x20ftypisom', 'latin1');
  writeFileSync(path, film);
  const settings = Settings.parse({ baseUrl: server.url });
  const dataFolder = join(folder, 'data');
  mkdirSync(dataFolder);
  const engine = await startEngine({ dataFolder, settings, ports: benchPorts(), command: 'bench' });
  const compared = await inTurnsBy<Figure>(rounds, figures, ours(engine, path), [
    curl('curl -F', path, server.url, ''),
    curl('sha256sum, then curl -F', path, server.url, 'sha256sum "$1" && '),
  ]);
  await engine.stop();
  server.stop();
  rmSync(path);
  return [
    ...findingsOf('Upload of 256 MB, hashed on the way', { name: 'MB/s', digits: 0 }, compared.speed, [
      { atLeast: 0.8 },
      null,
    ]),
    ...findingsOf('… processor time of that', { name: 'ms', digits: 0 }, compared.cpu, [null, null]),
  ];
};

function ours({ library }: Engine, path: string): ManySided<Figure> {
  let bytes = BYTES;
  return {
    name: 'ours',
    async measure() {
      bytes += GROWTH;
      truncateSync(path, bytes);
      const { ms, cpuMs } = await timedWithCpu(async () => {
        const [report] = await library.upload([path], { role: 'reference_video' });
        if (report?.ok !== true || !report.sent) throw new Error(`The upload came to ${JSON.stringify(report)}.`);
      });
      return { speed: bytes / MB / (ms / 1000), cpu: cpuMs };
    },
  };
}

/** The shell tells what its children spent: `0m0.081s 0m0.210s`, user and system, in the last line of `times`. */
const curl = (name: string, path: string, url: string, before: string): ManySided<Figure> => ({
  name,
  async measure() {
    const form = '-F type=video -F mode=asset -F role=reference_video -F "file=@$1"';
    const send = `curl --silent --show-error --fail --output /dev/null ${form} "$2/v1/assets/uploads"`;
    let told = '';
    const ms = await timed(async () => {
      const { stdout } = await promisify(execFile)('sh', ['-c', `${before}${send} && times`, 'sh', path, url]);
      told = stdout.trim().split('\n').at(-1) ?? '';
    });
    return { speed: statSync(path).size / MB / (ms / 1000), cpu: childrensMs(told) };
  },
});

function childrensMs(times: string): number {
  const spent = [...times.matchAll(/(\d+)m([\d.]+)s/g)].map(
    ([, minutes, seconds]) => Number(minutes) * 60 + Number(seconds),
  );
  if (spent.length !== 2) throw new Error(`The shell told its children's time as ${times}.`);
  return spent.reduce((sum, each) => sum + each, 0) * 1000;
}
