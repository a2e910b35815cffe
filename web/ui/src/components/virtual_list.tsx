/** A list of any length: only what is on the screen is in the page. */
import { elementScroll, observeElementOffset, observeElementRect, Virtualizer } from "@tanstack/virtual-core";
import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useReducer, useRef, useState } from "preact/hooks";

interface Props<T> {
  items: T[];
  rowHeight: number;
  keyOf: (item: T) => string;
  render: (item: T, index: number) => ComponentChildren;
  onEnd?: () => void;
  label: string;
  footer?: ComponentChildren;
}

const NEAR_END = 20;

export function VirtualList<T>({ items, rowHeight, keyOf, render, onEnd, label, footer }: Props<T>) {
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

  const rows = virtualizer.getVirtualItems();
  const last = rows[rows.length - 1]?.index ?? -1;
  useEffect(() => {
    if (last >= items.length - NEAR_END) onEnd?.();
  }, [last, items.length, onEnd]);

  return (
    <div class="list" ref={scroller} tabIndex={0} role="region" aria-label={label}>
      <ul style={{ height: `${virtualizer.getTotalSize()}px` }}>
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
