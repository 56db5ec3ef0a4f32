import { writeFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import { startDemoService, type DemoService } from '../support/demo/service.ts';
import type { Clock } from '../../src/engine/base/ports.ts';
import { callSocket, entryIn, socketIn } from '../support/entry.ts';
import { CliScene, fastClock } from './support.ts';

const LIST = `shot,kind,model,prompt
001,image,image-demo,A red door
002,image,image-demo,A blue door
003,music,music-demo,Slow piano
`;

/** Two terminals of one person: one serves, the other works beside it in the same folders. */
export class SharedTerminals {
  readonly serving = new CliScene();
  readonly scene = new CliScene();
  readonly service: DemoService;
  #served: Promise<number> | null = null;

  private constructor(clock: Clock, service: DemoService) {
    this.service = service;
    for (const scene of [this.serving, this.scene]) {
      scene.clock = clock;
      scene.env['DAILIES_DATA'] = this.serving.dataFolder;
      scene.env['DAILIES_BASE_URL'] = service.url;
      scene.env['DAILIES_API_KEY'] = service.apiKey;
    }
    onTestFinished(async () => {
      await this.stopServing();
      await service.stop();
    });
  }

  static async open(): Promise<SharedTerminals> {
    const clock = fastClock(20);
    return new SharedTerminals(clock, await startDemoService({ clock, media: 'tiny' }));
  }

  get dataFolder(): string {
    return this.serving.dataFolder;
  }

  /** Starts `dailies serve` and waits until it can be reached. */
  async serve(): Promise<void> {
    this.#served = this.serving.run('serve', '--port', '0');
    await until(() => entryIn(this.serving.stdout.text) !== null);
  }

  async stopServing(): Promise<void> {
    this.serving.interrupt();
    await this.#served;
    this.#served = null;
  }

  /** Runs a command beside it. */
  run(...args: string[]): Promise<number> {
    return this.scene.run(...args);
  }

  list(text = LIST, name = 'night.csv'): string {
    writeFileSync(this.scene.path(name), text);
    return name;
  }

  get commits(): number {
    return this.service.ledger.commits;
  }
}

export async function until(condition: () => boolean): Promise<void> {
  for (let tries = 0; !condition(); tries += 1) {
    if (tries > 10_000) throw new Error('it does not come to pass');
    await wait(5);
  }
}

/** Pauses the queue, as a person does in the window. */
export async function pause({ dataFolder }: SharedTerminals): Promise<void> {
  await callSocket(socketIn(dataFolder), 'queue/pause');
}

export async function onePng(): Promise<Buffer> {
  const { default: sharp } = await import('sharp');
  return sharp({ create: { width: 320, height: 320, channels: 3, background: '#357' } })
    .png()
    .toBuffer();
}
