import { resolve } from 'node:path';
import { variablesOf, type Variables } from '../contract/prompt-variables.ts';
import { knownProject, viewDataFolder } from './read-only-view.ts';
import type { Session } from './session.ts';

/** The texts that prompts of a list may name: those of its project, where the data folder knows it, and those of all. */
export const textsForRun = ({ dataFolder, shell }: Session, project: string): Variables =>
  viewDataFolder(dataFolder, (view) => {
    if (!view?.variables) return new Map();
    return variablesOf(view.variables.list(knownProject(view.projects, resolve(shell.cwd, project))?.id ?? null));
  });
