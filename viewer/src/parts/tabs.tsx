import type { ComponentChildren, JSX } from "preact";
import { useRef } from "preact/hooks";

export interface Tab {
  id: string;
  label: string;
  count?: number | undefined;
  /** It holds what should be looked at. */
  alert?: boolean;
}

interface TabsProps {
  label: string;
  tabs: readonly Tab[];
  chosen: string;
  choose: (id: string) => void;
  children: ComponentChildren;
}

/** Tabs as the ARIA practices have them: arrows go from tab to tab, and Tab goes on into the panel. */
export function Tabs({ label, tabs, chosen, choose, children }: TabsProps): JSX.Element {
  const list = useRef<HTMLDivElement>(null);
  const move = (event: KeyboardEvent): void => {
    const at = tabs.findIndex((tab) => tab.id === chosen);
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: tabs.length - 1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    const next = tabs[(to + tabs.length) % tabs.length]!;
    choose(next.id);
    list.current?.querySelector<HTMLElement>(`#tab-${next.id}`)?.focus();
  };
  return (
    <>
      <div class="tabs" role="tablist" aria-label={label} ref={list} onKeyDown={move}>
        {tabs.map((tab) => (
          <button
            key={tab.id}
            id={`tab-${tab.id}`}
            type="button"
            role="tab"
            aria-selected={tab.id === chosen}
            aria-controls="tab-panel"
            tabIndex={tab.id === chosen ? 0 : -1}
            class={tab.alert ? "tab alert" : "tab"}
            onClick={() => choose(tab.id)}
          >
            {tab.label}
            {tab.count !== undefined && <span class="count">{tab.count}</span>}
          </button>
        ))}
      </div>
      <div id="tab-panel" class="tab-panel" role="tabpanel" aria-labelledby={`tab-${chosen}`}>
        {children}
      </div>
    </>
  );
}
