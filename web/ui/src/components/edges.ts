/** Says to the style sheet whether a row goes on beyond its edges, so that it fades out there. */
import { useEffect, useRef } from "preact/hooks";

export function useEdges<T extends HTMLElement>(key: unknown = "") {
  const row = useRef<T>(null);
  useEffect(() => {
    const element = row.current;
    if (!element) return undefined;
    const mark = () => {
      const { scrollLeft, scrollWidth, clientWidth, style } = element;
      style.setProperty("--left", scrollLeft > 4 ? "1" : "0");
      style.setProperty("--right", scrollWidth - clientWidth - scrollLeft > 4 ? "1" : "0");
    };
    mark();
    const size = new ResizeObserver(mark);
    size.observe(element);
    element.addEventListener("scroll", mark, { passive: true });
    return () => {
      size.disconnect();
      element.removeEventListener("scroll", mark);
    };
  }, [key]);
  return row;
}
