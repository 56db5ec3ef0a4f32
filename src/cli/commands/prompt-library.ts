import { resolve } from 'node:path';
import { say } from '../../contract/messages/words.ts';
import { PromptVariable, VariableName } from '../../contract/prompt-variables.ts';
import { withQuietEngine } from '../engine/engine-connector.ts';
import { exitStatus, UsageError, type ExitStatus } from '../exit.ts';
import { jsonLine } from '../output/ndjson.ts';
import { plainText, shortText } from '../output/text.ts';
import { knownProject, noProjectAt, viewDataFolder, type View } from '../read-only-view.ts';
import { printTo, type Session } from '../session.ts';

export interface OfProject {
  /** Without it, the ones that all projects share. */
  readonly project?: string;
  readonly json?: boolean;
}

/** Lists the variables that prompts of a project may name, or those of every project. */
export function listVariables(session: Session, options: OfProject): ExitStatus {
  const variables = lookInLibrary(session, options, (view, projectId) => view?.variables.list(projectId) ?? []);
  if (options.json) {
    for (const variable of variables) session.shell.stdout.write(jsonLine({ type: 'variable', ...variable }));
    return exitStatus.saved;
  }
  const print = printTo(session);
  if (variables.length === 0) print(say('cli.noVariables'));
  for (const { name, text, projectId } of variables) {
    const facts = { name: plainText(name), text: shortText(text, 200) };
    print(projectId === null ? say('cli.variableOfAll', facts) : say('cli.variable', facts));
  }
  return exitStatus.saved;
}

/** Sets the text of a variable. Started batches do not change. Its project is opened, and made where there is none yet, as by a run. */
export async function setVariable(
  session: Session,
  options: OfProject & { readonly name: string; readonly text: string },
): Promise<ExitStatus> {
  const { name, project } = options;
  if (!VariableName.safeParse(name).success) throw badName(name);
  const text = PromptVariable.shape.text.safeParse(options.text);
  if (!text.success) throw new UsageError(say('cli.badVariableText'), say('cli.badVariableTextRemedy'));
  await withQuietEngine(session, 'dailies prompts', async (engine) => {
    const folder = project === undefined ? null : resolve(session.shell.cwd, project);
    const projectId = folder === null ? null : (await engine.api.projects.open({ path: folder })).project.id;
    await engine.api.promptLibrary.setVariable({ projectId, name, text: text.data });
  });
  printTo(session)(say('cli.variableSet', { name: plainText(name) }));
  return exitStatus.saved;
}

export async function removeVariable(
  session: Session,
  options: OfProject & { readonly name: string },
): Promise<ExitStatus> {
  const { name } = options;
  const known = lookInLibrary(session, options, (view, projectId) => ({
    projectId,
    isThere:
      view?.variables.list(projectId).some((each) => each.name === name && each.projectId === projectId) ?? false,
  }));
  if (!known.isThere)
    throw new UsageError(say('cli.noVariable', { name: plainText(name) }), say('cli.noVariableRemedy'));
  await withQuietEngine(session, 'dailies prompts', ({ api }) =>
    api.promptLibrary.removeVariable({ projectId: known.projectId, name }),
  );
  printTo(session)(say('cli.variableRemoved', { name: plainText(name) }));
  return exitStatus.saved;
}

/** Looks at the library of a project, or at what every project shares. Throws UsageError for an unknown project. */
export function lookInLibrary<Seen>(
  session: Session,
  { project }: OfProject,
  see: (view: View | null, projectId: string | null) => Seen,
): Seen {
  return viewDataFolder(session.dataFolder, (view) => {
    if (project === undefined) return see(view, null);
    const known = view && knownProject(view.projects, resolve(session.shell.cwd, project));
    if (!known) throw noProjectAt(session, project);
    return see(view, known.id);
  });
}

const badName = (name: string): UsageError =>
  new UsageError(say('cli.badVariableName', { name: plainText(name) }), say('cli.badVariableNameRemedy'));
