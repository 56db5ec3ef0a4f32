import { resolve } from 'node:path';
import { say } from '../../contract/messages/words.ts';
import { PromptVariable, VariableName } from '../../contract/prompt-variables.ts';
import { withQuietEngine } from '../connect.ts';
import { UsageError, type ExitStatus } from '../exit.ts';
import { lookInLibrary } from '../named.ts';
import { printList, printLine } from '../output/list.ts';
import { plainText, shortText } from '../output/text.ts';
import { type Session } from '../session.ts';
import { JSON_LINES, verb, word, type Given } from '../verb.ts';

const PROJECT = word('--project <dir>', 'cli.optLibraryProject');
const NAME = word('<NAME>', 'cli.argVariable');
const LIST = [PROJECT, JSON_LINES] as const;
const SET = [NAME, word('<TEXT>', 'cli.argVariableText'), PROJECT] as const;
const REMOVE = [NAME, PROJECT] as const;

export const verbs = [
  verb('prompts variables list', 'cli.helpVariablesList', LIST, listVariables),
  verb('prompts variables set', 'cli.helpVariablesSet', SET, setVariable),
  verb('prompts variables remove', 'cli.helpVariablesRemove', REMOVE, removeVariable),
];

function listVariables(session: Session, options: Given<typeof LIST>): ExitStatus {
  return printList(session, options.json, {
    type: 'variable',
    rows: lookInLibrary(session, options, ({ variables }, projectId) => variables.list(projectId)),
    object: (variable) => variable,
    cells({ name, text, projectId }) {
      const facts = { name: plainText(name), text: shortText(text, 200) };
      return [projectId === null ? say('cli.variableOfAll', facts) : say('cli.variable', facts)];
    },
    none: say('cli.noVariables'),
  });
}

/** Started batches do not change. The project is opened, and made where there is none yet, as by a run. */
async function setVariable(session: Session, { name, project, ...given }: Given<typeof SET>): Promise<ExitStatus> {
  if (!VariableName.safeParse(name).success) {
    throw new UsageError(say('cli.badVariableName', { name: plainText(name) }), say('cli.badVariableNameRemedy'));
  }
  const text = PromptVariable.shape.text.safeParse(given.text);
  if (!text.success) throw new UsageError(say('cli.badVariableText'), say('cli.badVariableTextRemedy'));
  await withQuietEngine(session, 'dailies prompts', async ({ api }) => {
    const path = project === undefined ? null : resolve(session.shell.cwd, project);
    const projectId = path === null ? null : (await api.projects.open({ path })).project.id;
    await api.promptLibrary.setVariable({ projectId, name, text: text.data });
  });
  return printLine(session, say('cli.variableSet', { name: plainText(name) }));
}

async function removeVariable(session: Session, options: Given<typeof REMOVE>): Promise<ExitStatus> {
  const { name } = options;
  const projectId = lookInLibrary(session, options, ({ variables }, ofProject) => {
    const all = variables.list(ofProject);
    if (all.some((each) => each.name === name && each.projectId === ofProject)) return ofProject;
    throw new UsageError(say('cli.noVariable', { name: plainText(name) }), say('cli.noVariableRemedy'));
  });
  await withQuietEngine(session, 'dailies prompts', ({ api }) => api.promptLibrary.removeVariable({ projectId, name }));
  return printLine(session, say('cli.variableRemoved', { name: plainText(name) }));
}
