import { Component } from "preact";
import type { ComponentChildren, JSX } from "preact";
import { useWords } from "../text/words.ts";
import { Failure } from "./states.tsx";

interface BoundaryProps {
  /** Another place is tried afresh. */
  place: unknown;
  children: ComponentChildren;
}

/** A fault of one page: without it the page stays half drawn and says nothing. */
export class Boundary extends Component<BoundaryProps, { fault?: string | undefined }> {
  static override getDerivedStateFromError(error: unknown): { fault: string } {
    return { fault: String(error) };
  }

  override componentDidUpdate(before: BoundaryProps): void {
    if (this.state.fault !== undefined && before.place !== this.props.place) this.setState({ fault: undefined });
  }

  override render(): ComponentChildren {
    const { fault } = this.state;
    return fault === undefined ? this.props.children : <Fault text={fault} />;
  }
}

function Fault({ text }: { text: string }): JSX.Element {
  const { state } = useWords();
  return (
    <Failure
      refusal={{ name: "Fault", code: "FAULT", message: state.fault, recovery: text }}
      title={state.failed}
      again={() => location.reload()}
    />
  );
}
