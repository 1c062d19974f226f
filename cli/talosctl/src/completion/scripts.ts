/**
 * Completion scripts. Each calls `talosctl __complete <words> <word at the cursor>`, which prints one candidate per
 * line, or `:files` for a local path. So a script stays valid when commands are added. `__complete_described` also
 * prints a tab and a description after each candidate.
 */
const bash = `# bash completion for talosctl: source <(talosctl completion bash)
_talosctl() {
    local line="\${COMP_LINE:0:COMP_POINT}" words=() current prefix candidate
    read -r -a words <<< "$line"
    if [[ "$line" == *[[:space:]] ]]; then words+=(""); fi
    current="\${words[\${#words[@]} - 1]}"
    # Bash replaces only what follows the last = or : of a word.
    prefix="\${current%"\${current##*[=:]}"}"
    COMPREPLY=()
    while IFS= read -r candidate; do
        if [[ "$candidate" == ":files" ]]; then
            while IFS= read -r candidate; do COMPREPLY+=("$candidate"); done < <(compgen -f -- "\${current#"$prefix"}")
            compopt -o filenames 2> /dev/null
            return
        fi
        COMPREPLY+=("\${candidate#"$prefix"}")
    done < <("\${words[0]}" __complete "\${words[@]:1}" 2> /dev/null)
}
complete -F _talosctl talosctl
`;

const zsh = (verb: string) => `#compdef talosctl
# zsh completion for talosctl: source <(talosctl completion zsh)
_talosctl() {
    local -a lines candidates
    local line value tab=$'\\t'
    lines=("\${(@f)$("\${words[1]}" ${verb} "\${(@)words[2,CURRENT]}" 2> /dev/null)}")
    if [[ "\${lines[1]}" == ":files" ]]; then
        _files
        return
    fi
    for line in "\${(@)lines:#}"; do
        value=\${line%%$tab*}
        # A colon ends the value, so one inside it is escaped.
        value=\${value//:/\\\\:}
        if [[ "$line" == *$tab* ]]; then
            value+=":\${line#*$tab}"
        fi
        candidates+=("$value")
    done
    _describe -t candidates candidate candidates
}
if [[ "\${funcstack[1]}" == "_talosctl" ]]; then
    _talosctl "$@"
else
    compdef _talosctl talosctl
fi
`;

const fish = (verb: string) => `# fish completion for talosctl: talosctl completion fish | source
function __talosctl_candidates
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    for candidate in ($words[1] ${verb} $words[2..-1] "$current" 2> /dev/null)
        if test "$candidate" = ":files"
            __fish_complete_path "$current"
        else
            echo $candidate
        end
    end
end
complete -c talosctl -f -a "(__talosctl_candidates)"
`;

const powershell = (
  verb: string,
) => `# PowerShell completion for talosctl: talosctl completion powershell | Out-String | Invoke-Expression
Register-ArgumentCompleter -Native -CommandName 'talosctl' -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)
    $words = @($commandAst.CommandElements | Select-Object -Skip 1 | ForEach-Object { $_.Extent.Text })
    # Some versions drop an empty argument: pass a pair of quotes instead.
    if ($wordToComplete -eq '') { $words += '""' }
    & $commandAst.CommandElements[0].Extent.Text ${verb} @words 2>$null | ForEach-Object {
        if ($_ -eq ':files') {
            [System.Management.Automation.CompletionCompleters]::CompleteFilename($wordToComplete)
        } else {
            $value, $description = $_ -split "\`t", 2
            if (-not $description) { $description = $value }
            [System.Management.Automation.CompletionResult]::new($value, $value, 'ParameterValue', $description)
        }
    }
}
`;

const scripts: Readonly<Record<string, (verb: string) => string>> = {
  bash: () => bash,
  fish,
  powershell,
  zsh,
};

/** The supported shells. */
export const completedShells: readonly string[] = Object.keys(scripts);

/**
 * The completion script for a shell; `undefined` for an unsupported shell.
 *
 * @param described whether the shell shows descriptions; bash cannot
 */
export function completionScript(shell: string, described: boolean): string | undefined {
  if (!Object.hasOwn(scripts, shell)) return undefined;
  return scripts[shell]?.(described ? '__complete_described' : '__complete');
}
