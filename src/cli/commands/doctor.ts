import { say } from '../../contract/messages/words.ts';
import { resolve } from 'node:path';
import { exitStatus, type ExitStatus } from '../exit.ts';
import { checkDataFolder, checkProjectFolder, ok, type Finding } from '../../host/doctor/folder-checks.ts';
import { checkService } from '../doctor/service-checks.ts';
import { engineAtWork } from '../look.ts';
import { plainText, styleFor } from '../output/text.ts';
import { printTo, type Session } from '../session.ts';
import { verb, word } from '../verb.ts';

const PROJECT = word('--project <dir>', 'cli.optDoctorProject');

export const verbs = [verb('doctor', 'cli.helpDoctor', [PROJECT], doctor, { endsAtOnce: true })];

/** Checks everything a run depends on, and says what to do about what is wrong. Makes no billable request. */
async function doctor(session: Session, { project }: { readonly project?: string }): Promise<ExitStatus> {
  const { shell, interrupted } = session;
  const findings: Finding[] = [];
  const checks = [
    () => checkService(session),
    () => checkDataFolder(session.dataFolder),
    () => [checkEngine(session.dataFolder)],
    ...(project === undefined ? [] : [() => checkProjectFolder(resolve(shell.cwd, project))]),
  ];
  for (const check of checks) {
    if (interrupted.aborted) break;
    for (const finding of await check()) {
      findings.push(finding);
      tell(session, finding);
    }
  }
  const failed = findings.some(({ level }) => level === 'fail');
  printTo(session)(say(failed ? 'cli.notReady' : 'cli.readyToRun'));
  return failed ? exitStatus.failed : exitStatus.saved;
}

function checkEngine(dataFolder: string): Finding {
  const holder = engineAtWork(dataFolder);
  if (!holder) return ok('engine', say('cli.noEngineHere'));
  return ok('engine', say('cli.engineHere', { pid: String(holder.pid), command: plainText(holder.command) }));
}

function tell(session: Session, { level, name, message, remedy }: Finding): void {
  const style = styleFor(session.shell.stdout, session.shell.env);
  const mark = { ok: style.good('ok  '), warn: style.warn('warn'), fail: style.bad('fail') }[level];
  const print = printTo(session);
  print(`${mark}  ${name.padEnd(9)} ${plainText(message)}`);
  if (remedy !== undefined) print(`      ${''.padEnd(9)} ${plainText(remedy)}`);
}
