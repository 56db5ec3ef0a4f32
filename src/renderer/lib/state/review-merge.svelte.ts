import { sayText } from '../../../contract/messages/words.ts';
import { MAX_REVIEW_LENGTH, readReview, REVIEW_SUFFIX, type ReviewPlan } from '../../../contract/reel-review.ts';
import { api } from '../client.ts';
import { toastError } from '../toasts.ts';

/** The review of a reel that is being merged: it may fall on any view. */
class ReviewMerge {
  plan = $state.raw<ReviewPlan | null>(null);

  /** The project is named by the file, whichever is open. */
  async open(file: File): Promise<void> {
    try {
      // One that is too large is refused by its beginning.
      const read = readReview(await file.slice(0, 4 * MAX_REVIEW_LENGTH + 4).text());
      if (!read.ok) throw new Error(sayText(read.problem));
      const { review } = read;
      this.plan = await api.takes.planReview({ projectId: review.projectId, review });
    } catch (error) {
      toastError(error);
    }
  }

  choose(): void {
    const chooser = document.createElement('input');
    Object.assign(chooser, { type: 'file', accept: `${REVIEW_SUFFIX},.json,application/json` });
    chooser.addEventListener('change', () => {
      const [file] = chooser.files ?? [];
      if (file) void this.open(file);
    });
    chooser.click();
  }

  close(): void {
    this.plan = null;
  }
}

export const reviewMerge = new ReviewMerge();
