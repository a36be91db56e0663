//! Slurm, which queues the parts of a sweep: the scripts it gets, and what it is asked.

use crate::error::CommandError;
use crate::program;
use flitsim_sweep::disk::create_folder;
use flitsim_sweep::results::file::write_whole;
use serde::{Deserialize, Serialize};
use std::collections::HashSet;
use std::fmt::Write;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// The folder in a sweep's with what was submitted.
pub const SLURM: &str = "slurm";
const TASKS: &str = "tasks.sh";
const MERGE: &str = "merge.sh";
const JOB: &str = "job.json";

/// What is submitted: an array of tasks that share out the points, and a job that merges.
#[derive(Clone, Debug)]
pub struct Batch<'a> {
    /// The name of the scenario.
    pub name: &'a str,
    /// The scenario file.
    pub scenario: &'a Path,
    /// The folder of the sweep.
    pub folder: &'a Path,
    /// How many tasks.
    pub tasks: u32,
    /// Arguments of `flitsim sweep` that change what is simulated.
    pub sweep: Vec<String>,
    /// Options of the tasks, as `sbatch` takes them.
    pub options: Vec<String>,
    /// Options of the job that merges.
    pub merge_options: Vec<String>,
}

/// The numbers that Slurm gave.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Job {
    /// Of the array.
    pub tasks: String,
    /// Of the job that merges.
    pub merge: String,
}

impl Batch<'_> {
    /// Writes the scripts.
    ///
    /// # Errors
    /// Files that cannot be written; where this program is cannot be told.
    pub fn write(&self) -> io::Result<[PathBuf; 2]> {
        let folder = self.folder.join(SLURM);
        create_folder(&folder)?;
        let program = quoted(&program::path()?);
        let scenario = quoted(self.scenario);
        let out = quoted(self.folder);
        let more: String = self.sweep.iter().fold(String::new(), |mut text, argument| {
            let _ = write!(text, " {argument}");
            text
        });
        // There sbatch puts a number in place of %a.
        let logs = folder.display().to_string().replace('%', "%%");
        let log = |name: &str| format!("--output={logs}/{name}");
        let mut options = vec![
            format!("--job-name=flitsim-{}", self.name),
            format!("--array=1-{}", self.tasks),
            "--requeue".to_owned(),
            // A minute before the time is over, to the program itself, as which the script goes on.
            "--signal=B:TERM@60".to_owned(),
            "--open-mode=append".to_owned(),
            log("task-%a.log"),
        ];
        options.extend_from_slice(&self.options);
        let tasks = script(
            &options,
            "Takes points that no other task has taken, until none is left. After a kill it goes on where \
             it stopped.",
            &format!(
                "exec {program} sweep {scenario}{more} --out {out}/parts/\"$SLURM_ARRAY_TASK_ID\" \
                 --claim --resume --checkpoint-every 60s --jobs \"${{SLURM_CPUS_PER_TASK:-1}}\""
            ),
        );
        let mut options = vec![
            format!("--job-name=flitsim-{}-merge", self.name),
            "--open-mode=append".to_owned(),
            log("merge.log"),
        ];
        options.extend_from_slice(&self.merge_options);
        let merge = script(
            &options,
            "Puts the parts together when all tasks have ended, and names what is missing.",
            &format!("exec {program} merge {out} --scenario {scenario}"),
        );
        let paths = [TASKS, MERGE].map(|name| folder.join(name));
        write_whole(&paths[0], tasks.as_bytes())?;
        write_whole(&paths[1], merge.as_bytes())?;
        Ok(paths)
    }

    /// Hands `scripts` to Slurm, and notes their numbers.
    ///
    /// # Errors
    /// Slurm is not there, or refuses.
    pub fn submit(&self, scripts: &[PathBuf; 2]) -> Result<Job, CommandError> {
        let tasks = sbatch(&[], &scripts[0])?;
        let merge = sbatch(&[format!("--dependency=afterany:{tasks}")], &scripts[1])?;
        let job = Job { tasks, merge };
        let path = self.folder.join(SLURM).join(JOB);
        let text = serde_json::to_string_pretty(&job).unwrap_or_default() + "\n";
        write_whole(&path, text.as_bytes()).map_err(|error| {
            CommandError::Failed(format!(
                "jobs {} and {} are submitted, and {} cannot be written: {error}; \
                 `flitsim status` does not know them",
                job.tasks,
                job.merge,
                path.display()
            ))
        })?;
        Ok(job)
    }
}

/// `path` as the shell takes it.
fn quoted(path: &Path) -> String {
    format!("'{}'", path.display().to_string().replace('\'', r"'\''"))
}

/// Whether `text` fits on a line of `#SBATCH`.
pub fn is_one_line(text: &str) -> bool {
    !text.contains(['\n', '\r', '\0'])
}

fn script(options: &[String], what: &str, command: &str) -> String {
    let mut text = "#!/bin/bash\n".to_owned();
    for option in options {
        // Within quotes sbatch takes what follows a backslash as it is.
        let option = option.replace('\\', r"\\").replace('"', r#"\""#);
        let _ = writeln!(text, "#SBATCH \"{option}\"");
    }
    let _ = writeln!(text, "# {what}\n{command}");
    text
}

/// The number of the job that `script` becomes.
fn sbatch(options: &[String], script: &Path) -> Result<String, CommandError> {
    let mut command = Command::new("sbatch");
    command.arg("--parsable").args(options).arg(script);
    let output = command.output().map_err(|error| {
        CommandError::Failed(format!(
            "cannot start sbatch: {error}; is Slurm here? The scripts are beside {}: submit them where \
             it is, or give --dry-run to write them only",
            script.display()
        ))
    })?;
    if !output.status.success() {
        return Err(CommandError::Failed(format!(
            "sbatch does not take {}: {}",
            script.display(),
            String::from_utf8_lossy(&output.stderr).trim()
        )));
    }
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let number = text.trim().split(';').next().unwrap_or_default();
    Ok(number.to_owned())
}

/// The tasks of the sweep in `folder` that run now, by their part; `None` where none was submitted, or Slurm
/// cannot be asked.
pub fn alive(folder: &Path) -> Option<HashSet<String>> {
    in_states(&job(folder)?, "RUNNING,COMPLETING,SUSPENDED")
}

/// The job whose tasks sweep into `folder`, where some of them run or wait, as far as Slurm tells.
pub fn unended(folder: &Path) -> Option<String> {
    let job = job(folder)?;
    let tasks = in_states(&job, "PENDING,CONFIGURING,RUNNING,COMPLETING,SUSPENDED")?;
    (!tasks.is_empty()).then_some(job.tasks)
}

/// What was submitted last for the sweep in `folder`.
fn job(folder: &Path) -> Option<Job> {
    let text = std::fs::read_to_string(folder.join(SLURM).join(JOB)).ok()?;
    serde_json::from_str(&text).ok()
}

fn in_states(job: &Job, states: &str) -> Option<HashSet<String>> {
    let mut command = Command::new("squeue");
    command.args(["--noheader", "--array", "--format=%K", "--jobs", &job.tasks]);
    command.args(["--states", states]);
    running(&command.output().ok()?)
}

/// The tasks that squeue names in `output`; `None` where it could not ask.
fn running(output: &Output) -> Option<HashSet<String>> {
    if !output.status.success() {
        // A job that has left the queue is none that it knows.
        let said = String::from_utf8_lossy(&output.stderr);
        return said.contains("Invalid job id").then(HashSet::new);
    }
    let text = String::from_utf8_lossy(&output.stdout);
    let tasks = text.lines().map(|task| task.trim().to_owned());
    Some(tasks.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_stand_in_quotes() {
        let option = r#"--comment=a "c" \d"#.to_owned();
        let wanted = "#!/bin/bash\n#SBATCH \"--comment=a \\\"c\\\" \\\\d\"\n# Why.\nexit\n";
        assert_eq!(script(&[option], "Why.", "exit"), wanted);
    }

    #[test]
    #[cfg(unix)]
    fn tasks_run_as_squeue_says_where_it_could_ask() {
        use std::os::unix::process::ExitStatusExt;
        let told = |code: i32, stdout: &str, stderr: &str| {
            running(&Output {
                status: std::process::ExitStatus::from_raw(code << 8),
                stdout: stdout.into(),
                stderr: stderr.into(),
            })
        };
        let two = ["1".to_owned(), "12".to_owned()];
        assert_eq!(told(0, "1\n12 \n", ""), Some(two.into()));
        let gone = "slurm_load_jobs error: Invalid job id specified\n";
        assert_eq!(told(1, "", gone), Some(HashSet::new()));
        let away = "slurm_load_jobs error: Unable to contact slurm controller (connect failure)\n";
        assert_eq!(told(1, "", away), None);
    }
}
