import { A } from "@solidjs/router";

export const Link = (props) => <A href={props.to}>{props.children}</A>;
