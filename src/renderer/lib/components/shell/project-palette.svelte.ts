import type { BatchView } from '../../../../contract/batch.ts';
import { say } from '../../../../contract/messages/words.ts';
import { batchQuestions } from '../../actions/batch-questions.svelte.ts';
import { archiveBatch, duplicateBatch } from '../../actions/batches.ts';
import { api } from '../../client.ts';
import type { Command } from '../../state/commands.svelte.ts';
import { navigation } from '../../state/navigation.svelte.ts';
import { projects } from '../../state/projects.svelte.ts';
import { Resource } from '../../state/resource.svelte.ts';
import { detailOf } from '../../view-detail.ts';

export class ProjectPalette {
  readonly #batches = new Resource({
    of: () => navigation.place.projectId,
    read: async (projectId) => (projectId === null ? [] : api.batches.list({ projectId })),
  });

  /** Views open review, which has its own commands for them: these change the grid on screen. */
  readonly #views = new Resource({
    of: () => (navigation.place.view === 'review' ? null : navigation.place.projectId),
    read: async (projectId) => (projectId === null ? [] : api.savedViews.list({ projectId })),
  });

  readonly all = $derived.by((): readonly Command[] => [
    ...(this.#views.current ?? []).map(({ id, projectId, name, filter }): Command => ({
      id: `review-view-${id}`,
      title: say('review.showView', { name }),
      group: 'Review',
      run: () => navigation.go('review', { projectId, detail: withoutEmpty(detailOf(filter)) }),
    })),
    ...(this.#batches.current ?? []).filter(({ archivedAt }) => archivedAt === null).flatMap(commandsFor),
  ]);

  follow(): () => void {
    const ends = [this.#views.follow(), this.#batches.follow()];
    return () => ends.forEach((end) => end());
  }
}

const withoutEmpty = (detail: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(detail).filter(([, value]) => value !== ''));

function commandsFor(batch: BatchView): Command[] {
  const { id, projectId, name } = batch;
  const isShown = navigation.place.detail['batch'] === id;
  const command = (what: string, title: string, run: () => void): Command => ({
    ...{ id: `${what}-batch-${id}`, title, run },
    group: 'Batch',
    isSearchedFor: !isShown,
  });
  const show = command('show', say('batch.showNamed', { batch: name }), () =>
    navigation.go('batch', { projectId, detail: { batch: id } }),
  );
  if (projects.isReadOnly) return [show];
  return [
    show,
    command('rename', say('batch.renameNamed', { batch: name }), () => batchQuestions.ask('name', batch)),
    command('notes', say('batch.notesOf', { batch: name }), () => batchQuestions.ask('notes', batch)),
    command('window', say('night.titleOfBatch', { batch: name }), () => void batchQuestions.askWindow(batch)),
    command('duplicate', say('batch.duplicateNamed', { batch: name }), () => void duplicateBatch(batch)),
    command('archive', say('batch.archiveNamed', { batch: name }), () => void archiveBatch(batch)),
  ];
}
