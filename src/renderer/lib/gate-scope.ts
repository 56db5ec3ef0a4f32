import type { Gate } from '../../contract/events.ts';

/** Takes of one batch, perhaps of one model alone. */
interface Takes {
  readonly projectId: string;
  readonly batchId: string;
  readonly model?: string;
}

type Holds = Pick<Gate, 'window' | 'cap' | 'projectId' | 'model'>;

/** Whether the gate holds these takes back: one without a project, batch or model holds back all there are. */
export function isHeldBy(takes: Takes, { window, cap, projectId, model }: Holds): boolean {
  const scope = window?.scope ?? cap?.scope;
  if (scope?.scope === 'batch') return scope.batchId === takes.batchId;
  if (scope?.scope === 'project') return scope.projectId === takes.projectId;
  if (projectId !== undefined) return projectId === takes.projectId;
  return model === undefined || model === takes.model;
}
