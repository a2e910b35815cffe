/** A list of any length: only what is on the screen is in the page. */
import { elementScroll, observeElementOffset, observeElementRect, Virtualizer } from "@tanstack/virtual-core";
import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useReducer, useRef, useState } from "preact/hooks";

interface Props<T> {
  items: T[];
  /** Another one: another list, which is shown from its top. */
  identity?: string;
  rowHeight: number;
  keyOf: (item: T) => string;
  render: (item: T, index: number) => ComponentChildren;
  onEnd?: () => void;
  label: string;
  footer?: ComponentChildren;
}

const NEAR_END = 40;
/** Room for rows that are still to come, so that nothing moves when they do. */
const RESERVED = 50;

export function VirtualList<T>({ items, identity = "", rowHeight, keyOf, render, onEnd, label, footer }: Props<T>) {
  const scroller = useRef<HTMLDivElement>(null);
  const [, redraw] = useReducer((count: number) => count + 1, 0);
  const options = {
    count: items.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    getItemKey: (index: number) => keyOf(items[index] as T),
    overscan: 6,
    scrollToFn: elementScroll,
    observeElementRect,
    observeElementOffset,
    onChange: () => redraw(undefined),
  };
  const [virtualizer] = useState(() => new Virtualizer<HTMLDivElement, HTMLLIElement>(options));
  virtualizer.setOptions(options);
  useLayoutEffect(() => virtualizer._didMount(), [virtualizer]);
  useLayoutEffect(() => virtualizer._willUpdate());
  useLayoutEffect(() => virtualizer.measure(), [rowHeight]);
  const before = useRef({ items, identity });
  useLayoutEffect(() => {
    const was = before.current;
    before.current = { items, identity };
    const list = scroller.current;
    if (!list) return;
    if (was.identity !== identity) list.scrollTop = 0;
    else list.scrollTop += moved(was.items, items, Math.floor(list.scrollTop / rowHeight), keyOf) * rowHeight;
  }, [items, identity]);

  const rows = virtualizer.getVirtualItems();
  const last = rows[rows.length - 1]?.index ?? -1;
  useEffect(() => {
    if (last >= items.length - NEAR_END) onEnd?.();
  }, [last, items.length, onEnd]);

  return (
    <div class="list" ref={scroller} tabIndex={0} role="region" aria-label={label}>
      <ul style={{ height: `${virtualizer.getTotalSize() + (footer ? RESERVED * rowHeight : 0)}px` }}>
        {rows.map((row) => (
          <li key={row.key} style={{ transform: `translateY(${row.start}px)`, height: `${row.size}px` }}>
            {render(items[row.index] as T, row.index)}
          </li>
        ))}
      </ul>
      {footer}
    </div>
  );
}

/** By how many rows the one at `index` went down as others came in above; at the top these are to be seen. */
function moved<T>(was: T[], now: T[], index: number, keyOf: (item: T) => string): number {
  const anchor = was[index];
  if (was === now || index === 0 || anchor === undefined) return 0;
  const key = keyOf(anchor);
  if (now[index] !== undefined && keyOf(now[index]) === key) return 0;
  const at = now.findIndex((item) => keyOf(item) === key);
  return at < 0 ? 0 : at - index;
}
