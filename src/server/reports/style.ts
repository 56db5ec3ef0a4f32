/** The look of a report. Colours follow the system; on paper they are light. */
export const style = `
:root{color-scheme:light dark;--ground:#fff;--card:#f6f7f9;--text:#14171c;--soft:#59616e;--line:#e2e5ea;--accent:#2f5bea;
--good:#157f4a;--bad:#c2372e;--warn:#96630a;--w0:#d9822b;--w1:#8a63d2;--w2:#2a9d8f;--w3:#c2556b;--tile:#e8ebf1}
@media (prefers-color-scheme:dark){:root{--ground:#0e1014;--card:#16191f;--text:#eef0f4;--soft:#9aa3b2;--line:#272c35;
--accent:#7d9bff;--good:#54c98a;--bad:#ff7f75;--warn:#e8b04b;--w0:#e8a04f;--w1:#ab8bf0;--w2:#4fc3b5;--w3:#e27f93;--tile:#20252e}}
@media print{:root{color-scheme:light;--ground:#fff;--card:#f6f7f9;--text:#14171c;--soft:#59616e;--line:#d8dce3;--accent:#2f5bea;
--good:#157f4a;--bad:#c2372e;--warn:#96630a;--w0:#d9822b;--w1:#8a63d2;--w2:#2a9d8f;--w3:#c2556b;--tile:#e8ebf1}}
*{box-sizing:border-box;margin:0}
body{background:var(--ground);color:var(--text);font:15px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"PingFang SC",
"Microsoft YaHei","Noto Sans CJK SC",sans-serif;font-variant-numeric:tabular-nums;-webkit-print-color-adjust:exact;
print-color-adjust:exact;overflow-wrap:anywhere}
main{max-width:1060px;margin:0 auto;padding:56px 40px 40px}
.kicker{color:var(--soft);font-size:14px;margin-bottom:10px}h2 .kicker{font-weight:400;margin-left:6px}
h1{font-size:44px;line-height:1.12;letter-spacing:-.022em;font-weight:680;text-wrap:balance;max-width:20em}
h2{font-size:17px;font-weight:650;letter-spacing:-.006em;margin-bottom:12px}
section{margin-top:44px}
.figures{display:grid;grid-template-columns:repeat(var(--count),1fr);gap:1px;background:var(--line);
border:1px solid var(--line);border-radius:14px;overflow:hidden;margin-top:32px}
.figure{background:var(--ground);padding:18px 16px;min-width:0}
.figure dt{color:var(--soft);font-size:13px}
.figure dd{font-size:29px;font-weight:640;letter-spacing:-.02em;line-height:1.25;white-space:nowrap}
.figure dd.long{font-size:21px;line-height:36px}
.figure dd.of{color:var(--soft);font-size:13px;font-weight:400;letter-spacing:0;line-height:1.5;min-height:1.5em;white-space:normal}
.good{color:var(--good)}.bad{color:var(--bad)}.warn{color:var(--warn)}
.night{display:block;width:100%;height:auto}
.night text{font-size:12.5px;fill:var(--soft)}
.night .strong{fill:var(--text);font-weight:600}
.night .time{text-anchor:middle}.night .side{text-anchor:end}
.tick,.base{stroke:var(--line)}.goal{stroke:var(--soft);stroke-dasharray:2 5;opacity:.7}
.area{fill:var(--accent);opacity:.13}.curve{fill:none;stroke:var(--accent);stroke-width:2.5;stroke-linejoin:round}
.end{fill:var(--accent)}.sent{fill:var(--accent);opacity:.5}.rail{fill:var(--card)}
.w0{fill:var(--w0)}.w1{fill:var(--w1)}.w2{fill:var(--w2)}.w3{fill:var(--w3)}
.columns{display:grid;grid-template-columns:minmax(0,1fr) minmax(0,1fr);gap:44px}
ol,ul{list-style:none;padding:0}
.next li{display:grid;grid-template-columns:28px 1fr;padding:9px 0;border-top:1px solid var(--line)}
.next li:first-child,.rows li:first-child{border-top:0;padding-top:0}
.next b{color:var(--accent);font-weight:650}
.rows li{display:flex;justify-content:space-between;gap:20px;padding:8px 0;border-top:1px solid var(--line)}
.rows small,.failure small{display:block;color:var(--soft);font-size:13px}
.rows .value{max-width:60%;font-weight:600;text-align:right}
.rows .value small{font-weight:400}
.failure{background:var(--card);border-radius:12px;padding:14px 18px;margin-top:10px;display:grid;
grid-template-columns:92px 1fr;gap:18px;break-inside:avoid}
.failure .count{color:var(--bad);font-weight:640}
.failure p{display:-webkit-box;-webkit-line-clamp:3;-webkit-box-orient:vertical;overflow:hidden}
.failure small{display:-webkit-box;-webkit-line-clamp:2;-webkit-box-orient:vertical;overflow:hidden}
.kicker{display:-webkit-box;-webkit-line-clamp:1;-webkit-box-orient:vertical;overflow:hidden}h2 .kicker{display:inline}
.failure .remedy{font-weight:600;margin-top:2px}
.bar{height:6px;border-radius:3px;background:var(--tile);margin-top:6px;overflow:hidden;display:block;width:100%}
.bar rect{fill:var(--accent)}.bar .near{fill:var(--warn)}.bar .full{fill:var(--bad)}
.note{color:var(--soft);font-size:14px;margin-top:10px}
.strip{display:grid;grid-template-columns:repeat(6,1fr);gap:14px 12px}
.take{min-width:0;break-inside:avoid}
.take img,.take .tile{display:block;width:100%;aspect-ratio:16/9;object-fit:cover;border-radius:8px;background:var(--tile)}
.take .tile{display:grid;place-items:center;color:var(--soft);font-size:15px;font-weight:600;padding:6px;overflow:hidden;text-align:center}
.take span{display:block;color:var(--soft);font-size:12px;margin-top:4px;white-space:nowrap;overflow:hidden;text-overflow:ellipsis}
footer{margin-top:52px;padding-top:16px;border-top:1px solid var(--line);color:var(--soft);font-size:13px}
@media (max-width:900px){.figures{grid-template-columns:repeat(3,1fr)}}
@media (max-width:720px){.figures{grid-template-columns:1fr 1fr}main{padding:32px 20px}h1{font-size:32px}.columns{grid-template-columns:1fr}
.strip{grid-template-columns:repeat(3,1fr)}.failure{grid-template-columns:1fr;gap:4px}}
@page{size:A4;margin:13mm}
@media print{body{font-size:10px;line-height:1.4}main{padding:0;max-width:none}h1{font-size:27px}h2{font-size:12px;margin-bottom:7px}
.kicker,.note{font-size:9.5px}section{margin-top:17px;break-inside:avoid}.figures{margin-top:16px;border-radius:8px;
grid-template-columns:repeat(var(--count),1fr)}.figure{padding:9px 10px}.figure dt,.figure dd.of,.rows small,.failure small{font-size:8.5px}
.figure dd{font-size:17px}.figure dd.long{font-size:13px;line-height:21px}.columns{gap:26px;grid-template-columns:minmax(0,1fr) minmax(0,1fr)}
.failure{padding:8px 11px;margin-top:6px;grid-template-columns:56px 1fr;gap:10px;border-radius:7px}.failure p{-webkit-line-clamp:2}.failure small{-webkit-line-clamp:1}
.next li{padding:5px 0;grid-template-columns:18px 1fr}.rows li{padding:4px 0}.strip{gap:7px;grid-template-columns:repeat(6,1fr)}
.take img,.take .tile{border-radius:4px}.take span{font-size:8px;margin-top:2px}.take .tile{font-size:10px}
.second{break-before:page;margin-top:0}h1{-webkit-line-clamp:3}footer{margin-top:16px;padding-top:8px;font-size:8.5px}.failures{break-inside:auto}}
`;
