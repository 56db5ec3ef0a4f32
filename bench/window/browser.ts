import { chromium, type Browser, type BrowserContext, type CDPSession, type Page } from '@playwright/test';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { transformWithOxc } from 'vite';
import { findChromium } from '../../scripts/find-chromium.ts';
import { tasksIn, type Tasks, type TraceEvent } from './trace.ts';

const PROBE = join(import.meta.dirname, 'page', 'probe.ts');

/** A real Chromium without a screen and without a graphics card: the processor draws, at 60 frames a second. */
export async function openBrowser(): Promise<BenchBrowser> {
  const { code } = await transformWithOxc(await readFile(PROBE, 'utf8'), PROBE, { lang: 'ts' });
  const browser = await chromium.launch({
    executablePath: findChromium(),
    args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--disable-component-update'],
  });
  return new BenchBrowser(browser, code);
}

export class BenchBrowser {
  readonly #browser: Browser;
  readonly #probe: string;

  constructor(browser: Browser, probe: string) {
    this.#browser = browser;
    this.#probe = probe;
  }

  /** A window of its own, with nothing kept from others. */
  async newWindow(): Promise<BenchWindow> {
    const context = await this.#browser.newContext({ viewport: { width: 1440, height: 900 }, colorScheme: 'dark' });
    await context.addInitScript({ content: this.#probe });
    const page = await context.newPage();
    const metrics = await context.newCDPSession(page);
    // Counts time of the processor, not of the clock: others use this machine too.
    await metrics.send('Performance.enable', { timeDomain: 'threadTicks' });
    return new BenchWindow(context, page, metrics);
  }

  /** What the page's main thread did during `work`. */
  async tasksDuring({ page }: BenchWindow, work: () => Promise<void>): Promise<Tasks> {
    await this.#browser.startTracing(page, { categories: ['disabled-by-default-devtools.timeline'] });
    await work();
    const trace = JSON.parse((await this.#browser.stopTracing()).toString('utf8')) as { traceEvents: TraceEvent[] };
    return tasksIn(trace.traceEvents);
  }

  async close(): Promise<void> {
    await this.#browser.close();
  }
}

export class BenchWindow {
  readonly page: Page;
  readonly #context: BrowserContext;
  readonly #metrics: CDPSession;

  constructor(context: BrowserContext, page: Page, metrics: CDPSession) {
    this.#context = context;
    this.#metrics = metrics;
    this.page = page;
  }

  /** The probe's answer to `call`, such as `clickedAt`. */
  async ask<Answer>(call: string): Promise<Answer> {
    return (await this.page.evaluate(`probe.${call}`)) as Answer;
  }

  /** Processor time of the page's main thread since it began, ms. */
  async mainThread(): Promise<number> {
    const { metrics } = await this.#metrics.send('Performance.getMetrics');
    return (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN) * 1000;
  }

  /** Counts from now on what goes between the page and the engine: calls, and bytes both ways, events included. */
  async callsAndBytes(): Promise<() => { readonly calls: number; readonly bytes: number }> {
    const network = await this.#context.newCDPSession(this.page);
    const ids = new Set<string>();
    let bytes = 0;
    network.on('Network.requestWillBeSent', ({ requestId, request }) => {
      if (!new URL(request.url).pathname.startsWith('/rpc/')) return;
      ids.add(requestId);
      bytes += request.postData?.length ?? 0;
    });
    network.on('Network.dataReceived', ({ requestId, dataLength }) => {
      if (ids.has(requestId)) bytes += dataLength;
    });
    await network.send('Network.enable');
    return () => ({ calls: ids.size, bytes });
  }

  async close(): Promise<void> {
    await this.#context.close();
  }
}
