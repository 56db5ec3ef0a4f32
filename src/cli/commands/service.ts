import { say } from '../../contract/messages/words.ts';
import { resolve } from 'node:path';
import { systemCode } from '../../engine/base/errors.ts';
import { UsageError, type ExitStatus } from '../exit.ts';
import { printLine } from '../output/list.ts';
import { aborted, printTo, type Session } from '../session.ts';
import { factor, portNumber, verb, word, type Given } from '../verb.ts';
import type { DemoService } from '../../demo/service.ts';

const SERVICE = [
  word('--port <n>', 'cli.optPort', { parse: portNumber }),
  word('--state <dir>', 'cli.optServiceState'),
  word('--speed <factor>', 'cli.optSpeed', { parse: factor }),
  word('--media <style>', 'cli.optMedia', { choices: ['real', 'tiny'], default: 'real' }),
  word('--control', 'cli.optControl'),
] as const;

export const verbs = [verb('service', 'cli.helpService', SERVICE, service)];

/** Runs the demo service until the person stops it, which is a success. */
async function service(session: Session, options: Given<typeof SERVICE>): Promise<ExitStatus> {
  const { interrupted } = session;
  const print = printTo(session);
  const demo = await start(session, options);
  print(say('cli.demoServiceAt', { address: demo.url, key: demo.apiKey }));
  print(say('cli.demoServiceUse'));
  print(`  export DAILIES_BASE_URL=${demo.url} DAILIES_API_KEY=${demo.apiKey}`);
  print(`  dailies run LIST --project DIR`);
  print(say('cli.ctrlCStops'));
  await aborted(interrupted);
  const { received, commits } = demo.ledger;
  await demo.stop();
  return printLine(session, say('cli.demoServiceStopped', { received, commits }));
}

async function start({ shell }: Session, options: Given<typeof SERVICE>): Promise<DemoService> {
  const { port, state, speed, media, control } = options;
  const stateDir = state === undefined ? undefined : resolve(shell.cwd, state);
  try {
    return await shell.startDemoService({
      ...{ media, port, stateDir, control },
      faster: speed,
      modelList: 'nested',
      callbacks: true,
    });
  } catch (error) {
    const code = systemCode(error);
    if (code === 'EADDRINUSE' || code === 'EACCES') {
      throw new UsageError(say('cli.portUnusable', { port: String(port), code }), say('cli.portUnusableRemedy'), {
        cause: error,
      });
    }
    throw error;
  }
}
