/** For `{@attach}` on a list: its items are dragged to other places, and moved by Alt with an arrow while they have the focus. */
export function reorderable(onmove: (from: number, to: number) => void): (list: HTMLElement) => () => void {
  return (list) => {
    const events = new AbortController();
    const { signal } = events;
    let [from, over] = [-1, -1];
    const indexOf = (target: EventTarget | null): number =>
      [...list.children].findIndex((item) => target instanceof Node && item.contains(target));
    const mark = (index: number): void => {
      list.children[over]?.removeAttribute('data-drop');
      over = index;
      if (over !== from) list.children[over]?.setAttribute('data-drop', '');
    };
    const end = (): void => {
      mark(-1);
      from = -1;
    };
    list.addEventListener(
      'dragstart',
      (event) => {
        from = indexOf(event.target);
        event.dataTransfer?.setData('application/x-dailies-place', String(from));
        if (event.dataTransfer) event.dataTransfer.effectAllowed = 'move';
      },
      { signal },
    );
    list.addEventListener(
      'dragover',
      (event) => {
        if (from < 0) return;
        event.preventDefault();
        mark(indexOf(event.target));
      },
      { signal },
    );
    list.addEventListener(
      'drop',
      (event) => {
        if (from < 0) return;
        event.preventDefault();
        event.stopPropagation();
        const [begin, to] = [from, indexOf(event.target)];
        end();
        if (to >= 0 && to !== begin) onmove(begin, to);
      },
      { signal },
    );
    list.addEventListener('dragend', end, { signal });
    list.addEventListener(
      'keydown',
      (event) => {
        if (!event.altKey || (event.key !== 'ArrowUp' && event.key !== 'ArrowDown')) return;
        event.preventDefault();
        const at = indexOf(event.target);
        const to = at + (event.key === 'ArrowUp' ? -1 : 1);
        if (at >= 0 && to >= 0 && to < list.children.length) onmove(at, to);
      },
      { signal },
    );
    return () => events.abort();
  };
}
