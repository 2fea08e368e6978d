/** Findings of verify in Chinese: what each means, why, and what to do, by code. */

interface Explained {
  what: string;
  why: string;
  next: string;
}

const FIX = "运行 taskfold doctor --fix 按日志重新写出；原有内容保留在 .coco/registry/quarantine";
const RESOLVE = "运行 taskfold resolve 整理日志，并保留取出的内容";
const LOST = "运行 taskfold resolve 在其他日志和 git 中寻找这些行；用 --accept-gap 声明它们已丢失";
const NEWER = "安装写入它的较新版本；在此之前仍可读取";
const BY_HAND = "被手工编辑、截断，或由其他程序写入";

const TABLE: readonly (readonly [codes: string, what: string, why: string, next: string])[] = [
  [
    "PROJECTION_DIFFERS PROJECTION_DRIFT PACKET_FILE_DIFFERS",
    "文件与日志不一致",
    "被手工编辑，或检出只带来合并的一方",
    FIX,
  ],
  [
    "PROJECTION_MISSING SKELETON_MISSING PACKET_FILE_MISSING",
    "日志应生成的文件不存在",
    "被删除，或进程提前结束而未写出",
    FIX,
  ],
  [
    "FILE_UNMERGED",
    "git 中有一个文件尚未合并",
    "合并、变基或拣选在此停下",
    "taskfold resolve --stage 暂存可由日志得出的内容；人工维护的文件请手工修正后 git add",
  ],
  [
    "FILE_TWICE",
    "同一计划或任务的两个文件夹中，有一个文件内容不同",
    "taskfold resolve 合并了文件夹，而日志中没有其中任何一份内容",
    "请手工合并两份内容，并删除旁边的那一份",
  ],
  ["OVERVIEW_STALE RENDERER_OLDER", "文件是较早的状态或版本写出的", "此后没有更改重新写出它", FIX],
  ["FILE_UNREADABLE", "日志旁的一个文件无法读取", "缺少权限，或磁盘损坏", "授予权限，或从 git 恢复该文件"],
  ["NOTES_NOT_READ", "人工维护的文件未进入日志", "不是 UTF-8，或过大", "存为限制内的 UTF-8 文件；下一次更改会读入"],
  [
    "PROJECTION_FAILED REBUILD_FAILED",
    "一个文件无法写出",
    "磁盘已满，或缺少权限",
    "腾出空间或授予权限，然后运行 taskfold rebuild",
  ],
  ["RENDERER_NEWER", "文件由较新的版本写出", "某处使用了较新的 Taskfold", NEWER],
  [
    "PACKET_FILE_ORPHAN TASKDOC_STRAY",
    "只应存放日志文件的位置有一个日志不认识的文件",
    "被手工放入，或合并后遗留",
    "移到别处，或用 taskfold taskdoc adopt-edits 或 packet import 导入",
  ],
  ["TASKDOC_UNMIGRATED", "任务旁有旧格式的任务文档", "由较早的程序写出", "用 taskfold taskdoc import FILE ID 导入"],
  ["LINE_BAD_HASH LINE_INVALID LINE_NOT_JSON LINE_TOO_LONG", "日志中有一行不是有效事件", BY_HAND, RESOLVE],
  [
    "LOG_LFS_POINTER LINE_LFS_POINTER",
    "日志的位置上是 Git LFS 指针",
    "仓库的属性把日志交给了 Git LFS，但尚未取回，或 git 合并了指针",
    "git lfs pull 取回日志；若合并了指针，先撤销合并，并在两个分支上执行 taskfold doctor --fix",
  ],
  ["LINE_MARKER", "日志中有 git 的冲突标记", "合并中断，或主机忽略 merge=union", RESOLVE],
  [
    "LINE_TORN OP_INCOMPLETE",
    "日志中最后一次更改不完整",
    "进程在写入时结束",
    "下一次更改会将其放到一边；taskfold resolve 立即处理",
  ],
  [
    "LINE_BOM LINE_CRLF LINE_DUPLICATE LINE_NOT_CANONICAL",
    "一行有效，但写法与本程序不同",
    "被编辑器、git 或其他程序改写",
    RESOLVE,
  ],
  [
    "LINE_LOST",
    "某次提交中有这一行，现在没有任何日志包含它",
    "被还原、丢弃的提交或合并去掉",
    "用 taskfold resolve --git 找回",
  ],
  ["LOG_TRUNCATED", "日志的末尾丢失", "文件被恢复到较早状态，或提交被丢弃", LOST],
  ["LOG_INCOMPLETE OP_HELD", "一些更改在等待此处没有的较早的行", "合并丢弃了行，或只带来分支的一半", LOST],
  [
    "OP_STRAY PREV_MIDDLE SEQ_WRONG EVENT_WITHOUT_EFFECT",
    "一个事件没有效果",
    "两个程序未加锁同时写入，或一行被编辑",
    RESOLVE,
  ],
  ["OP_TOO_LARGE", "一次更改的字节数超过格式允许", "由其他程序写入", RESOLVE],
  [
    "ROOT_SECOND ROOT_MIXED",
    "一个日志中有两个计划或任务",
    "两个分支使用了同一编号",
    "taskfold resolve 给后来的一个新的编号",
  ],
  ["SAME_ROOT", "一个计划或任务在两个文件夹中", "文件夹被复制，或 git 保留了移动前后的两个名称", RESOLVE],
  ["TYPE_UNKNOWN VERSION_NEWER LOG_NEWER_VERSION", "日志中有此版本不认识的事件", "某处使用了较新的 Taskfold", NEWER],
  [
    "LOG_EMPTY FOLDER_WITHOUT_LOG NO_OWN_LOG",
    "文件夹没有 Taskfold 的日志",
    "由其他程序创建，或日志被删除",
    "taskfold adopt ID 为其创建日志；git 中可能有该日志",
  ],
  [
    "LOG_UNREADABLE FOLDER_UNREADABLE",
    "日志或文件夹无法读取",
    "缺少权限、它不是普通文件，或由 git 的过滤器写出",
    "授予权限、解锁过滤器，或查看那里是什么",
  ],
  [
    "PATH_UNSAFE",
    "应为文件或文件夹的位置是链接或其他东西",
    "手工创建，或随检出而来",
    "将其移走；在此之前不会通过它读写",
  ],
  [
    "BLOB_MISSING BLOB_DIFFERS",
    "捕获的输出丢失，或与捕获时不同",
    "shared/evidence/blobs 下的文件被删除或更改",
    "从 git 恢复，或重新捕获证据",
  ],
  [
    "BYTES_REMOTE",
    "捕获的输出或任务包的文件在共享日志上，不在这台机器上",
    "由另一台机器产生，这里还没有调用读取它",
    "运行 taskfold shared sync --blobs 取回",
  ],
  [
    "ANCHOR_BEYOND_FILE CITATION_UNKNOWN",
    "证据指向不存在的行或条目",
    "文件变短，或报告写了另一个编号",
    "taskfold call tasks_evidence_verify 说明哪些证明仍然成立",
  ],
  ["DELETED_NOT_ARCHIVED ARCHIVED_NOT_DELETED", "文件夹应在归档中却在现有文件夹中，或相反", "合并将其带回", RESOLVE],
  [
    "ATTRIBUTES_MISSING",
    "git 可能以不合适的方式转换或合并 .coco 的文件",
    ".coco/.gitattributes 由较早的版本写出，或另一个属性文件优先",
    "taskfold doctor --fix 补上缺少的行；另一个文件中的设置须在该文件中去掉",
  ],
  [
    "TXN_PENDING",
    "跨多个日志的一次更改尚未完成",
    "进程在写入时结束",
    "下一次更改会完成它；taskfold doctor --fix 立即完成",
  ],
  [
    "TXN_INCOMPLETE TXN_SET_ASIDE",
    "跨多个日志的一次更改只有部分在此",
    "合并或检出只带来部分文件",
    "带入另一个提交，然后运行 taskfold verify",
  ],
  ["SET_ASIDE NOTES_CHANGED", "有内容被保留在一边，或等待读入", "较早的更改将其放在那里", "无需处理"],
  [
    "PACKET_INPUT_FOREIGN PACKET_MARKER_FOREIGN INPUT_FOREIGN",
    "任务包的一个文件不在其日志中",
    "由其他程序或人写入",
    "用 taskfold packet import ID 导入",
  ],
  [
    "OBJECT_MISSING",
    "git 提到的字节不在此克隆中",
    "部分克隆尚未获取它们，或仓库已损坏",
    "该处给出的命令会取回它们；Taskfold 自己不获取任何内容",
  ],
  [
    "NOT_CHECKED_OUT",
    "计划或任务在 git 中，但不在此工作树中",
    "稀疏检出将它们排除在外",
    "未查看其中任何内容；该处给出的命令会取回它们",
  ],
  [
    "SIGNATURE_BROKEN",
    "日志中的一个签名不成立",
    "日志、信封或已签名的历史在签名之后被更改",
    "取回已签名的日志：taskfold verify --git 会指出提交所去除的内容",
  ],
  [
    "SIGNATURE_UNTRUSTED",
    "用您不信任的密钥对日志进行了签名",
    "该密钥不在您的允许签名者文件中、已过期，或用于其他用途",
    "若您信任持有该密钥的人，请将其一行加入该文件",
  ],
  [
    "NOT_VOUCHED",
    "没有您信任的密钥为已关闭步骤的证明作保",
    "证明未经签名，或步骤、其运行或输出在此后有更改",
    "taskfold prove ID --sign --allow-commands 在某个提交上运行其测试，并对结果签名",
  ],
  ["PROBLEMS_MORE GIT_LIMIT", "未能查看全部内容", "数量超过一次运行所能查看的", "每次用一个编号运行 taskfold doctor"],
];

export const ZH_FINDINGS: Readonly<Record<string, Explained>> = Object.fromEntries(
  TABLE.flatMap(([codes, what, why, next]) => codes.split(" ").map((code) => [code, { what, why, next }])),
);
